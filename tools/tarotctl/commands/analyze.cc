#include <condition_variable>
#include <mutex>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/notation/prove.h"
#include "tools/cli/analysis_report.h"
#include "tools/cli/records.h"
#include "tools/tarotctl/commands/commands.h"

namespace tarot::tarotctl {
namespace {

using bot::v1::AnalyzeDealResponse;

// Collects the answers of one analysis and waits for its end.
class Answers {
 public:
  explicit Answers(const Context& context) : context_(context) {}

  void Add(const AnalyzeDealResponse& response) {
    const std::lock_guard lock(mutex_);
    if (response.has_summary()) summary_ = response.summary();
    if (!response.has_decision()) return;
    // A stream that opens again after a loss begins with the first decision.
    if (response.decisions_done() == 1) decisions_.clear();
    decisions_.push_back(response.decision());
    if (context_.environment().err_is_terminal) {
      context_.err() << cli::AnalysisProgress(static_cast<int>(response.decisions_done()),
                                              static_cast<int>(response.decision_count()))
                     << std::flush;
    }
  }

  void End(const absl::Status& status) {
    const std::lock_guard lock(mutex_);
    end_ = status;
    ended_.notify_all();
  }

  // Waits for the end. Moves the decisions and the summary to `analysis`.
  absl::Status TakeTo(cli::DealAnalysis& analysis) {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return end_.has_value(); });
    TAROT_RETURN_IF_ERROR(*end_);
    analysis.decisions = std::move(decisions_);
    analysis.summary = std::move(summary_);
    return absl::OkStatus();
  }

 private:
  const Context& context_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<absl::Status> end_;
  std::vector<bot::v1::DecisionAnalysis> decisions_;
  bot::v1::DealAnalysis summary_;
};

absl::StatusOr<bot::v1::AnalyzeDealRequest> ParseRequest(const cli::CommandLine& line) {
  bot::v1::AnalyzeDealRequest request;
  request.set_level(line.Get("level", "expert"));
  std::uint64_t seed = 0, nodes = 0, open_nodes = 0;
  if (!absl::SimpleAtoi(line.Get("seed", "1"), &seed) ||
      !absl::SimpleAtoi(line.Get("nodes", "0"), &nodes) ||
      !absl::SimpleAtoi(line.Get("open-nodes", "0"), &open_nodes)) {
    return absl::InvalidArgumentError("--seed, --nodes and --open-nodes take numbers");
  }
  request.set_seed(seed);
  request.set_node_budget(nodes);
  request.set_open_node_budget(open_nodes);
  return request;
}

// Renumbers the seats. The service numbers them as in `record`. In the report, seat 0 is the seat
// that bids first.
void TurnSeats(const rules::v1::DealRecord& record, cli::DealAnalysis& analysis) {
  const auto players = static_cast<std::uint32_t>(analysis.record.players);
  const std::uint32_t first = record.dealer() + 1;
  for (bot::v1::DecisionAnalysis& decision : analysis.decisions) {
    decision.set_seat((decision.seat() + players - first % players) % players);
    for (bot::v1::Reason& reason : *decision.mutable_reasons()) {
      if (reason.has_seat()) {
        reason.set_seat((reason.seat() + players - first % players) % players);
      }
    }
  }
  const bot::v1::DealAnalysis before = analysis.summary;
  for (std::uint32_t seat = 0; seat < players && before.seats_size() == analysis.record.players;
       ++seat) {
    *analysis.summary.mutable_seats(static_cast<int>(seat)) =
        before.seats(static_cast<int>((seat + first) % players));
  }
}

// Analyzes the deal that `request` names. `record` is the record of this deal.
absl::StatusOr<cli::DealAnalysis> Analyze(Context& context, const rules::v1::DealRecord& record,
                                          const bot::v1::AnalyzeDealRequest& request) {
  TAROT_ASSIGN_OR_RETURN(const notation::Document document, cli::ToDocument(record));
  TAROT_ASSIGN_OR_RETURN(const notation::Replayed replayed, notation::Replay(document.record));
  cli::DealAnalysis analysis{
      .record = document.record, .end = replayed.deal, .level = request.level()};
  Answers answers(context);
  const auto watch = context.client().AnalyzeDeal(
      request, [&answers](const AnalyzeDealResponse& response) { answers.Add(response); },
      [&answers](const absl::Status& status) { answers.End(status); });
  TAROT_RETURN_IF_ERROR(answers.TakeTo(analysis));
  TurnSeats(record, analysis);
  return analysis;
}

cli::ExitCode RunAnalyze(Context& context) {
  auto request = ParseRequest(context.line());
  if (!request.ok()) return context.invocation().Fail(request.status().message(), cli::kUsage);
  const auto language = cli::ParseLanguage(context.line().Get("lang", "en"));
  if (!language) return context.invocation().Fail("--lang is en or fr", cli::kUsage);
  cli::ExitCode exit_code = cli::kOk;
  const auto response = FetchRecord(context, context.line().words[0], exit_code);
  if (!response) return exit_code;
  request->set_name(response->record().name());
  const auto analysis = Analyze(context, response->record(), *request);
  if (!analysis.ok()) return context.Fail("analyze the deal", analysis.status());
  context.out() << (context.json() ? cli::AnalysisJson(*analysis, *language)
                                   : cli::RenderAnalysis(*analysis, context.line().Has("all"),
                                                         *language, context.style()));
  return cli::kOk;
}

}  // namespace

cli::Command AnalyzeCommand() {
  return {
      .name = "analyze",
      .usage = "analyze TABLE/N",
      .summary = "what each decision of a finished deal cost",
      .help =
          "  tarotctl analyze 5f3c2a10/1                a deal of the platform\n"
          "  tarotctl analyze TABLE/2 --all             every decision, not only the costly ones\n"
          "  tarotctl analyze TABLE/2 --json            everything, for a program that draws it\n\n"
          "The bot service judges each decision twice: by its expected points over hidden hands\n"
          "that fit what the seat knew, and with every hand known and best play by both camps.\n"
          "Points are points of the game. Gives reasons for decisions that are certain to have\n"
          "cost points (docs/analysis.md). To analyze a file, use tarot-lab analyze.\n\n"
          "  --lang L        the language: en or fr (en)\n"
          "  --level L       the bot level that judges (expert); master takes ten times as long\n"
          "  --seed S        selects the sampled hidden hands (1)\n"
          "  --nodes N       cards that the search of a decision may play (0: the level's own)\n"
          "  --open-nodes N  cards that the solver of a decision may play (0: 3000000)\n",
      .options = {{"lang"},
                  {"level"},
                  {"seed"},
                  {"nodes"},
                  {"open-nodes"},
                  {"all", false},
                  {"json", false}},
      .words_min = 1,
      .words_max = 1,
      .run = WithClient(RunAnalyze)};
}

}  // namespace tarot::tarotctl
