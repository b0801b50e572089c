#include "services/bot/transport/analysis_service.h"

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/notation/prove.h"
#include "libs/rpc/server_stream.h"
#include "libs/wire/convert.h"
#include "libs/wire/finished_deal.h"
#include "services/bot/app/chooser.h"
#include "services/bot/limits.h"

namespace tarot::bot_service {
namespace {

using Response = v1::AnalyzeDealResponse;

constexpr char kMethod[] = "tarot.bot.v1.AnalysisService/AnalyzeDeal";
constexpr char kDefaultLevel[] = "expert";

std::uint32_t Unsigned(int value) { return static_cast<std::uint32_t>(value); }

// One AnalyzeDeal call. A deal has about a hundred decisions, so the messages that wait for a slow
// client need little memory.
class Stream final : public rpc::ServerStream<rpc::WriteCall<Response>, Response>,
                     public AnalysisListener {
 public:
  static std::shared_ptr<Stream> Create(rpc::MethodMetrics metrics, SeatOf seat_of) {
    std::shared_ptr<Stream> stream(new Stream(std::move(metrics), std::move(seat_of)));
    stream->Begin();
    stream->metrics().MessageReceived();
    return stream;
  }

  void Decided(const ai::DecisionReport& report, int done, int total) override {
    Response response;
    EncodeDecision(report, seat_of_, response.mutable_decision());
    Write(std::move(response), done, total);
  }
  void Summed(const ai::DealReport& summary, int total) override {
    Response response;
    EncodeSummary(summary, seat_of_, response.mutable_summary());
    Write(std::move(response), total, total);
  }
  void Ended(const absl::Status& status) override { Close(status); }
  bool Gone() const override {
    const std::lock_guard lock(mutex());
    return lost_locked();
  }

 private:
  Stream(rpc::MethodMetrics metrics, SeatOf seat_of)
      : ServerStream(std::move(metrics)), seat_of_(std::move(seat_of)) {}

  void Write(Response response, int done, int total) {
    response.set_decisions_done(static_cast<std::uint32_t>(done));
    response.set_decision_count(static_cast<std::uint32_t>(total));
    {
      const std::lock_guard lock(mutex());
      if (closing_locked()) return;
      waiting_.push_back(std::move(response));
    }
    Advance();
  }

  bool TakeLocked() override {
    if (waiting_.empty()) return false;
    taken_ = std::move(waiting_.front());
    waiting_.pop_front();
    return true;
  }
  void Fill(Response& response) override { response = std::move(taken_); }
  void DropLocked() override { waiting_.clear(); }

  const SeatOf seat_of_;
  std::deque<Response> waiting_;
  Response taken_;
};

// Returns the deal of the record. Returns INVALID_ARGUMENT BAD_REQUEST if the deal may still be in
// play, because then a player could ask for the best card. A deal is over if it is finished and its
// seed gives its hands: a table publishes the seed only after the deal. A record with a gathered
// pack proves nothing, because it may have any hands.
absl::StatusOr<ai::History> DecodeHistory(const rules::v1::DealRecord& record) {
  TAROT_ASSIGN_OR_RETURN(const notation::Document document, wire::DecodeRecord(record, "record"));
  TAROT_ASSIGN_OR_RETURN(const notation::Replayed replayed, notation::Replay(document.record));
  if (!replayed.problem.empty()) {
    return BadRequest(absl::StrCat("record.entries[", replayed.legal, "]"), replayed.problem);
  }
  if (replayed.deal.phase != rules::Phase::kDone) {
    return BadRequest("record.entries", "must play the deal to its end");
  }
  if (document.record.gathered) {
    return BadRequest("record.gathered", "a deal without a shuffle cannot be analyzed");
  }
  for (const notation::Check& check : notation::Prove(document)) {
    if (check.what != "seed" || check.truth == notation::Truth::kTrue) continue;
    return BadRequest("record.seed", absl::StrCat("must give the hands: ", check.text));
  }
  ai::History history;
  TAROT_ASSIGN_OR_RETURN(history.start, notation::Start(document.record));
  for (const notation::Entry& entry : document.record.entries) {
    history.entries.emplace_back(entry.seat, entry.action);
  }
  return history;
}

absl::StatusOr<ai::AnalysisOptions> DecodeOptions(const v1::AnalyzeDealRequest& request) {
  ai::AnalysisOptions options{.seed = request.seed(), .node_budget = request.node_budget()};
  options.policy = ai::FindPolicy(request.level().empty() ? kDefaultLevel : request.level());
  if (options.policy == nullptr) return BadRequest("level", "unknown");
  if (request.node_budget() > kNodeBudgetMax) {
    return BadRequest("node_budget", absl::StrCat("at most ", kNodeBudgetMax));
  }
  if (request.open_node_budget() > kOpenNodeBudgetMax) {
    return BadRequest("open_node_budget", absl::StrCat("at most ", kOpenNodeBudgetMax));
  }
  if (request.open_node_budget() > 0) options.open_node_budget = request.open_node_budget();
  return options;
}

}  // namespace

void EncodeDecision(const ai::DecisionReport& report, const SeatOf& seat_of,
                    v1::DecisionAnalysis* out) {
  out->set_entry(Unsigned(report.entry));
  out->set_seat(Unsigned(seat_of(report.seat)));
  wire::EncodeAction(report.played, out->mutable_played());
  out->set_forced(report.forced);
  out->set_worlds(Unsigned(report.worlds));
  for (const ai::OptionReport& option : report.options) {
    v1::DecisionAnalysis::Option* const to = out->add_options();
    wire::EncodeAction(option.action, to->mutable_action());
    if (option.expected) to->set_expected(*option.expected);
    if (option.open_loss) to->set_open_loss(Unsigned(*option.open_loss));
  }
  out->set_expected_cost(Unsigned(report.expected_cost));
  if (report.open_cost) out->set_open_cost(Unsigned(*report.open_cost));
  if (report.margin) out->set_margin(*report.margin);
  if (report.contract_made) out->set_contract_made(*report.contract_made);
}

void EncodeSummary(const ai::DealReport& report, const SeatOf& seat_of, v1::DealAnalysis* out) {
  for (std::size_t i = 0; i < report.seats.size(); ++i) out->add_seats();
  for (std::size_t i = 0; i < report.seats.size(); ++i) {
    v1::DealAnalysis::Seat* const seat = out->mutable_seats(seat_of(static_cast<rules::Seat>(i)));
    seat->set_decisions(Unsigned(report.seats[i].decisions));
    seat->set_expected_cost(Unsigned(report.seats[i].expected_cost));
    seat->set_open_cost(Unsigned(report.seats[i].open_cost));
  }
  for (const int entry : report.turning_points) out->add_turning_points(Unsigned(entry));
  for (const int entry : report.mistakes) out->add_mistakes(Unsigned(entry));
}

rpc::WriteCall<Response>* AnalysisServiceImpl::AnalyzeDeal(grpc::CallbackServerContext* context,
                                                           const v1::AnalyzeDealRequest* request) {
  const std::uint32_t first = request->record().dealer() + 1;
  const int players = std::max(request->record().hands_size(), 1);
  const std::shared_ptr<Stream> stream =
      Stream::Create(dispatcher_.Method(kMethod), [first, players](rules::Seat seat) {
        return static_cast<rules::Seat>((static_cast<std::uint32_t>(seat) + first) %
                                        static_cast<std::uint32_t>(players));
      });
  const auto caller = dispatcher_.Authenticate(*context, rpc::Access::kPlayer);
  const auto history = caller.ok() ? DecodeHistory(request->record()) : caller.status();
  const auto options = history.ok() ? DecodeOptions(*request) : history.status();
  const absl::Status status =
      options.ok() ? queue_.Start(caller->player, ai::Analyzer(*history, *options), stream)
                   : options.status();
  if (!status.ok()) stream->Ended(status);
  return stream.get();
}

}  // namespace tarot::bot_service
