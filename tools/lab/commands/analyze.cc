#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/ai/analysis/analyzer.h"
#include "libs/base/error.h"
#include "libs/notation/prove.h"
#include "services/bot/transport/analysis_service.h"
#include "tools/cli/analysis_report.h"
#include "tools/cli/records.h"
#include "tools/cli/text.h"
#include "tools/lab/commands/commands.h"
#include "tools/lab/engine/engine.h"

namespace tarot::lab {
namespace {

absl::StatusOr<ai::AnalysisOptions> ParseOptions(const cli::CommandLine& line,
                                                 const std::string& level) {
  ai::AnalysisOptions options{.policy = ai::FindOpponent(level)};
  if (options.policy == nullptr) {
    return BadRequest("--level", absl::StrCat("is one of ", LevelNames(", ")));
  }
  const bool numbers =
      absl::SimpleAtoi(line.Get("seed", "1"), &options.seed) &&
      absl::SimpleAtoi(line.Get("nodes", "0"), &options.node_budget) &&
      absl::SimpleAtoi(line.Get("open-nodes", absl::StrCat(options.open_node_budget)),
                       &options.open_node_budget);
  if (!numbers) return BadRequest("--seed, --nodes and --open-nodes", "take numbers");
  return options;
}

absl::StatusOr<cli::DealAnalysis> Analyze(const cli::Invocation& run,
                                          const notation::Record& record, const std::string& level,
                                          const ai::AnalysisOptions& options) {
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
  cli::DealAnalysis analysis{.record = record, .end = replayed.deal, .level = level};
  const auto same_seat = [](rules::Seat seat) { return seat; };
  ai::Analyzer analyzer(std::move(history), options);
  while (!analyzer.Done()) {
    bot_service::EncodeDecision(*analyzer.Next({}), same_seat, &analysis.decisions.emplace_back());
    if (run.environment().err_is_terminal) {
      run.err() << cli::AnalysisProgress(static_cast<int>(analysis.decisions.size()),
                                         analyzer.decisions())
                << std::flush;
    }
  }
  bot_service::EncodeSummary(analyzer.Summary(), same_seat, &analysis.summary);
  return analysis;
}

cli::ExitCode RunAnalyze(const cli::Invocation& run) {
  const std::string& path = run.line().words[0];
  const auto documents = cli::ReadRecords(path);
  if (!documents.ok()) return run.FailFile(path, documents.status());
  const std::string level = run.line().Get("level", "expert");
  const auto options = ParseOptions(run.line(), level);
  if (!options.ok()) return run.Fail(cli::Safe(options.status().message()), cli::kUsage);
  const auto language = cli::ParseLanguage(run.line().Get("lang", "en"));
  if (!language) return run.Fail("--lang is en or fr", cli::kUsage);
  for (std::size_t i = 0; i < documents->size(); ++i) {
    const auto analysis = Analyze(run, (*documents)[i].record, level, *options);
    if (!analysis.ok()) {
      return run.FailFile(absl::StrCat(path, ": record ", i + 1), analysis.status());
    }
    if (run.json()) {
      run.out() << cli::AnalysisJson(*analysis, *language);
    } else {
      run.out() << (i == 0 ? "" : "\n")
                << cli::RenderAnalysis(*analysis, run.line().Has("all"), *language, run.style());
    }
    run.out() << std::flush;
  }
  return cli::kOk;
}

}  // namespace

cli::Command AnalyzeCommand() {
  return {
      .name = "analyze",
      .usage = "analyze FILE",
      .summary = "what each decision of the deals of a file cost",
      .help =
          "  tarot-lab analyze deals.tdn                TDN, JSON or an archive\n"
          "  tarot-lab analyze deals.tdn --all          every decision, not only the costly ones\n"
          "  tarot-lab analyze deals.tdn --json         everything, for a program that draws it\n\n"
          "Judges each decision twice: by its expected points over hidden hands that fit what the\n"
          "seat knew, and with every hand known and best play by both camps. Points are points of\n"
          "the game. Gives reasons for decisions that are certain to have cost points\n"
          "(docs/analysis.md). An unfinished deal is analyzed as far as it goes.\n\n"
          "  --lang L        the language: en or fr (en)\n"
          "  --level L       the bot level that judges (expert); oracle takes minutes for a deal\n"
          "  --seed S        selects the sampled hidden hands (1)\n"
          "  --nodes N       cards that the search of a decision may play (0: the level's own)\n"
          "  --open-nodes N  cards that the solver of a decision may play (3000000)\n",
      .options = {{"lang"},
                  {"level"},
                  {"seed"},
                  {"nodes"},
                  {"open-nodes"},
                  {"all", false},
                  {"json", false}},
      .words_min = 1,
      .words_max = 1,
      .run = RunAnalyze};
}

}  // namespace tarot::lab
