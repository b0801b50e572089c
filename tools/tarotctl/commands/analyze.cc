#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/notation/prove.h"
#include "tools/tarotctl/analysis/report.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/commands/fetch_record.h"
#include "tools/tarotctl/commands/read_records.h"
#include "tools/tarotctl/engine/engine.h"
#include "tools/tarotctl/text/columns.h"
#include "tools/tarotctl/view/record_notation.h"

namespace tarot::tarotctl {
namespace {

absl::StatusOr<ai::AnalysisEffort> ParseEffort(const CommandLine& line, const std::string& level) {
  ai::AnalysisEffort effort{.policy = ai::FindOpponent(level)};
  if (effort.policy == nullptr) {
    return BadRequest("--level", absl::StrCat("is one of ", LevelNames(", ")));
  }
  const bool numbers =
      absl::SimpleAtoi(line.Get("seed", "1"), &effort.seed) &&
      absl::SimpleAtoi(line.Get("nodes", "0"), &effort.node_budget) &&
      absl::SimpleAtoi(line.Get("open-nodes", absl::StrCat(effort.open_node_budget)),
                       &effort.open_node_budget);
  if (!numbers) return BadRequest("--seed, --nodes and --open-nodes", "take numbers");
  return effort;
}

// On a terminal only: a deal takes seconds.
void Tell(const Context& context, int done, int total) {
  if (!context.world().err_is_terminal) return;
  if (done < total) {
    const auto full = static_cast<std::size_t>(30 * done / total);
    context.err() << "\r[" << std::string(full, '#') << std::string(30 - full, '.') << "] " << done
                  << " of " << total << " decisions\x1b[K" << std::flush;
  } else {
    context.err() << "\r\x1b[K" << std::flush;
  }
}

absl::StatusOr<DealAnalysis> Analyze(const Context& context, const notation::Record& record,
                                     const std::string& level, const ai::AnalysisEffort& effort) {
  TAROT_ASSIGN_OR_RETURN(const notation::Replayed replayed, notation::Replay(record));
  if (!replayed.problem.empty()) {
    return BadRequest("record",
                      absl::StrCat("action ", replayed.legal + 1, ": ", replayed.problem));
  }
  ai::History history;
  TAROT_ASSIGN_OR_RETURN(history.start, notation::Start(record));
  for (const notation::Entry& entry : record.entries) {
    history.entries.emplace_back(entry.seat, entry.action);
  }
  DealAnalysis analysis{.record = record, .end = replayed.deal, .level = level};
  ai::Analyzer analyzer(std::move(history), effort);
  while (!analyzer.Done()) {
    analysis.decisions.push_back(*analyzer.Next({}));
    Tell(context, static_cast<int>(analysis.decisions.size()), analyzer.decisions());
  }
  analysis.summary = analyzer.Summary();
  return analysis;
}

ExitCode Report(Context& context, const std::vector<notation::Document>& documents,
                const std::string& source) {
  const std::string level = context.line().Get("level", "expert");
  const auto effort = ParseEffort(context.line(), level);
  if (!effort.ok()) {
    context.err() << "tarotctl: " << Safe(effort.status().message()) << "\n";
    return kUsage;
  }
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const auto analysis = Analyze(context, documents[i].record, level, *effort);
    if (!analysis.ok()) {
      return FailFile(context, absl::StrCat(source, ": record ", i + 1), analysis.status());
    }
    context.out() << (context.json()
                          ? AnalysisJson(*analysis)
                          : absl::StrCat(i == 0 ? "" : "\n",
                                         RenderAnalysis(*analysis, context.line().Has("all"),
                                                        context.style())))
                  << std::flush;
  }
  return kOk;
}

ExitCode RunAnalyze(Context& context) {
  const CommandLine& line = context.line();
  if (line.words.size() + (line.Has("file") ? 1 : 0) != 1) {
    context.err() << "tarotctl: analyze takes TABLE/N or --file FILE\n";
    return kUsage;
  }
  std::string source;
  absl::StatusOr<std::vector<notation::Document>> documents;
  if (line.Has("file")) {
    source = line.Get("file");
    documents = ReadRecords(source);
  } else {
    source = line.words[0];
    ExitCode exit_code = kOk;
    const auto response = FetchRecord(context, source, exit_code);
    if (!response) return exit_code;
    auto document = ToDocument(response->record());
    documents = document.ok() ? absl::StatusOr<std::vector<notation::Document>>(
                                    std::vector<notation::Document>{*std::move(document)})
                              : document.status();
  }
  if (!documents.ok()) return FailFile(context, source, documents.status());
  return Report(context, *documents, source);
}

}  // namespace

Command AnalyzeCommand() {
  return {
      .name = "analyze",
      .usage = "analyze TABLE/N",
      .summary = "what each decision of a finished deal cost",
      .help =
          "  tarotctl analyze 5f3c2a10/1                a deal of the platform\n"
          "  tarotctl analyze --file deals.tdn          of a file of TDN, JSON or an archive\n"
          "  tarotctl analyze TABLE/2 --all             every decision, not only the dear ones\n"
          "  tarotctl analyze TABLE/2 --json            all of it, to draw from\n\n"
          "Each decision is judged twice: in expectation, over hidden hands that fit all that\n"
          "the seat knew, and with every hand known, both camps at their best. Points are those\n"
          "of the game. Everything is computed here.\n\n"
          "  --level L       who judges (expert); oracle takes minutes a deal\n"
          "  --seed S        which hidden hands are sampled (1)\n"
          "  --nodes N       cards that the search of a decision may play (0: the level's own)\n"
          "  --open-nodes N  cards that the solver of a decision may play (3000000)\n",
      .options = {{"file"},
                  {"level"},
                  {"seed"},
                  {"nodes"},
                  {"open-nodes"},
                  {"all", false},
                  {"json", false}},
      .words_min = 0,
      .words_max = 1,
      .run = RunAnalyze};
}

}  // namespace tarot::tarotctl
