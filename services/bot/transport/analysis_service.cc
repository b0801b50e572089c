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
#include "libs/rpc/client_network.h"
#include "libs/rpc/current_trace.h"
#include "libs/rpc/server_stream.h"
#include "libs/rpc/trace.h"
#include "libs/wire/convert.h"
#include "libs/wire/finished_deal.h"
#include "services/bot/app/chooser.h"
#include "services/bot/app/errors.h"
#include "services/bot/limits.h"
#include "services/bot/transport/rules_client.h"

namespace tarot::bot_service {
namespace {

using Response = v1::AnalyzeDealResponse;

constexpr char kMethod[] = "tarot.bot.v1.AnalysisService/AnalyzeDeal";
constexpr char kDefaultLevel[] = "expert";

std::uint32_t Unsigned(int value) { return static_cast<std::uint32_t>(value); }

v1::Reason::Kind EncodeKind(ai::ReasonKind kind) {
  using Kind = ai::ReasonKind;
  switch (kind) {
    case Kind::kPointsGiven:
      return v1::Reason::POINTS_GIVEN;
    case Kind::kPetitGiven:
      return v1::Reason::PETIT_GIVEN;
    case Kind::kExcuseSaves:
      return v1::Reason::EXCUSE_SAVES;
    case Kind::kPointsMissed:
      return v1::Reason::POINTS_MISSED;
    case Kind::kPetitMissed:
      return v1::Reason::PETIT_MISSED;
    case Kind::kTrumpTooHigh:
      return v1::Reason::TRUMP_TOO_HIGH;
    case Kind::kPartnerTaken:
      return v1::Reason::PARTNER_TAKEN;
    case Kind::kTopTrumpEarly:
      return v1::Reason::TOP_TRUMP_EARLY;
    case Kind::kSuitRuffed:
      return v1::Reason::SUIT_RUFFED;
    case Kind::kForcesTrump:
      return v1::Reason::FORCES_TRUMP;
    case Kind::kExcuseLost:
      return v1::Reason::EXCUSE_LOST;
    case Kind::kExcuseEarly:
      return v1::Reason::EXCUSE_EARLY;
    case Kind::kSlamCertain:
      return v1::Reason::SLAM_CERTAIN;
    case Kind::kDiscardVoid:
      return v1::Reason::DISCARD_VOID;
    case Kind::kDiscardPoints:
      return v1::Reason::DISCARD_POINTS;
    case Kind::kDiscardBare:
      return v1::Reason::DISCARD_BARE;
    case Kind::kCallOwn:
      return v1::Reason::CALL_OWN;
    case Kind::kCallQueen:
      return v1::Reason::CALL_QUEEN;
    case Kind::kHigherOut:
      return v1::Reason::HIGHER_OUT;
    case Kind::kTrumpsOut:
      return v1::Reason::TRUMPS_OUT;
    case Kind::kPetitDanger:
      return v1::Reason::PETIT_DANGER;
    case Kind::kPetitCatch:
      return v1::Reason::PETIT_CATCH;
    case Kind::kPetitLast:
      return v1::Reason::PETIT_LAST;
    case Kind::kTrickChance:
      return v1::Reason::TRICK_CHANCE;
    case Kind::kContractChance:
      return v1::Reason::CONTRACT_CHANCE;
    case Kind::kHandful:
      return v1::Reason::HANDFUL;
    case Kind::kCardPoints:
      return v1::Reason::CARD_POINTS;
    case Kind::kRuffedOpen:
      return v1::Reason::RUFFED_OPEN;
    case Kind::kFreeOpen:
      return v1::Reason::FREE_OPEN;
    case Kind::kSlamOpen:
      return v1::Reason::SLAM_OPEN;
  }
  return v1::Reason::KIND_UNSPECIFIED;
}

void EncodeReason(const ai::Reason& reason, const SeatOf& seat_of, v1::Reason* out) {
  out->set_kind(EncodeKind(reason.kind));
  if (reason.card != rules::kNoCard) out->set_card(Unsigned(rules::Index(reason.card)));
  if (reason.other_card != rules::kNoCard) {
    out->set_other_card(Unsigned(rules::Index(reason.other_card)));
  }
  if (reason.suit != rules::Suit::kNone) out->set_suit(Unsigned(static_cast<int>(reason.suit)));
  if (reason.seat != rules::kNoSeat) out->set_seat(Unsigned(seat_of(reason.seat)));
  if (reason.trick > 0) out->set_trick(Unsigned(reason.trick));
  if (reason.trumps > 0) out->set_trumps(Unsigned(reason.trumps));
  if (reason.points > 0) out->set_points(Unsigned(reason.points));
  if (reason.number) out->set_number(Unsigned(*reason.number));
  if (reason.better_number) out->set_better_number(Unsigned(*reason.better_number));
}

void EncodeHand(const ai::HandFacts& hand, v1::Hand* out) {
  out->set_trumps(Unsigned(hand.trumps));
  wire::EncodeCards(hand.bouts, out->mutable_bouts());
  out->set_kings(Unsigned(hand.kings));
  for (const int length : hand.lengths) out->add_suit_lengths(Unsigned(length));
}

}  // namespace

// One AnalyzeDeal call. A deal has about a hundred decisions, so the messages that wait for a slow
// client need little memory.
class AnalysisStream final : public rpc::ServerStream<rpc::WriteCall<Response>, Response>,
                             public AnalysisListener {
 public:
  static std::shared_ptr<AnalysisStream> Create(rpc::MethodMetrics metrics) {
    std::shared_ptr<AnalysisStream> stream(new AnalysisStream(std::move(metrics)));
    stream->Begin();
    stream->metrics().MessageReceived();
    return stream;
  }

  // Call this function once, before the analysis starts.
  void set_seat_of(SeatOf seat_of) { seat_of_ = std::move(seat_of); }

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
  explicit AnalysisStream(rpc::MethodMetrics metrics) : ServerStream(std::move(metrics)) {}

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

  SeatOf seat_of_;
  std::deque<Response> waiting_;
  Response taken_;
};

namespace {

// Returns the deal of a record that comes from the caller. Returns INVALID_ARGUMENT BAD_REQUEST if
// the deal may still be in play, because then a player could ask for the best card. A deal is over
// if its seed gives its hands: a table publishes the seed only after the deal. A record with a
// gathered pack proves nothing, because its pack can be invented to give any hands.
absl::StatusOr<FinishedDeal> DecodeRecord(const rules::v1::DealRecord& record) {
  TAROT_ASSIGN_OR_RETURN(const notation::Document document, wire::DecodeRecord(record, "record"));
  TAROT_ASSIGN_OR_RETURN(FinishedDeal deal, FinishedDealOf(document));
  if (document.record.gathered) {
    return BadRequest("record.gathered",
                      "a deal without a shuffle cannot be proved: give its name instead");
  }
  for (const notation::Check& check : notation::Prove(document)) {
    if (check.what != "seed" || check.truth == notation::Truth::kTrue) continue;
    return BadRequest("record.seed", absl::StrCat("must give the hands: ", check.text));
  }
  return deal;
}

absl::StatusOr<ai::AnalysisOptions> DecodeOptions(const v1::AnalyzeDealRequest& request) {
  ai::AnalysisOptions options{.seed = request.seed(), .node_budget = request.node_budget()};
  options.policy = ai::FindJudge(request.level().empty() ? kDefaultLevel : request.level());
  if (options.policy == nullptr) return BadRequest("level", "is unknown");
  if (request.node_budget() > kNodeBudgetMax) {
    return BadRequest("node_budget", absl::StrCat("must be at most ", kNodeBudgetMax));
  }
  if (request.open_node_budget() > kOpenNodeBudgetMax) {
    return BadRequest("open_node_budget", absl::StrCat("must be at most ", kOpenNodeBudgetMax));
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
    if (option.made) to->set_contract_chance(Unsigned(*option.made));
    if (option.low) to->set_low(*option.low);
    if (option.high) to->set_high(*option.high);
  }
  out->set_expected_cost(Unsigned(report.expected_cost));
  if (report.open_cost) out->set_open_cost(Unsigned(*report.open_cost));
  if (report.margin) out->set_margin(*report.margin);
  if (report.contract_made) out->set_contract_made(*report.contract_made);
  if (report.cost_low) out->set_cost_low(*report.cost_low);
  if (report.cost_high) out->set_cost_high(*report.cost_high);
  for (const ai::Reason& reason : report.reasons) {
    EncodeReason(reason, seat_of, out->add_reasons());
  }
  if (report.better) wire::EncodeAction(*report.better, out->mutable_better());
  if (report.hand) EncodeHand(*report.hand, out->mutable_hand());
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

// One call, from the check of the caller to the start of the analysis.
struct AnalysisServiceImpl::Request {
  std::shared_ptr<AnalysisStream> stream;
  Caller caller;
  SlotHolder holder;
  ai::AnalysisOptions options;
  std::string trace;  // The `traceparent` of the call, or empty.
  std::string name;
  std::optional<FinishedDeal> deal;  // Set if the caller sent a record.
};

absl::StatusOr<std::shared_ptr<AnalysisServiceImpl::Request>> AnalysisServiceImpl::Decode(
    const grpc::CallbackServerContext& context, const v1::AnalyzeDealRequest& request) {
  const auto decoded = std::make_shared<Request>();
  TAROT_ASSIGN_OR_RETURN(decoded->caller,
                         dispatcher_.Authenticate(context, kMethod, rpc::Access::kPlayer));
  decoded->holder = rpc::HolderOf(decoded->caller.player, rpc::ClientNetworkOf(context));
  TAROT_ASSIGN_OR_RETURN(decoded->options, DecodeOptions(request));
  decoded->trace = rpc::TraceParentOf(context);
  decoded->name = request.name();
  if (request.name().empty() == !request.has_record()) {
    return BadRequest("name", "the request needs either the name of a deal or its record");
  }
  if (request.has_record()) {
    TAROT_ASSIGN_OR_RETURN(decoded->deal, DecodeRecord(request.record()));
  }
  return decoded;
}

rpc::WriteCall<Response>* AnalysisServiceImpl::AnalyzeDeal(grpc::CallbackServerContext* context,
                                                           const v1::AnalyzeDealRequest* request) {
  const std::shared_ptr<AnalysisStream> stream =
      AnalysisStream::Create(dispatcher_.Method(kMethod));
  const auto decoded = Decode(*context, *request);
  if (!decoded.ok()) {
    stream->Ended(decoded.status());
    return stream.get();
  }
  (*decoded)->stream = stream;
  const rpc::TraceScope scope((*decoded)->trace);
  rules_.FindLiveTable(
      (*decoded)->caller,
      [this, call = *decoded](const absl::StatusOr<std::string>& table) { Found(call, table); });
  return stream.get();
}

void AnalysisServiceImpl::Found(const std::shared_ptr<Request>& call,
                                const absl::StatusOr<std::string>& table) {
  if (!table.ok()) return call->stream->Ended(table.status());
  if (!table->empty()) return call->stream->Ended(error::SeatedAtTable(*table));
  if (call->deal) return Analyze(*call, *call->deal);
  const rpc::TraceScope scope(call->trace);
  rules_.GetDeal(call->caller, call->name, [this, call](const absl::StatusOr<FinishedDeal>& deal) {
    if (!deal.ok()) return call->stream->Ended(deal.status());
    Analyze(*call, *deal);
  });
}

void AnalysisServiceImpl::Analyze(const Request& call, const FinishedDeal& deal) {
  call.stream->set_seat_of([first = deal.first_chair, players = deal.players](rules::Seat seat) {
    return (seat - first + players) % players;
  });
  const absl::Status status =
      queue_.Start(call.holder, ai::Analyzer(deal.history, call.options), call.stream);
  if (!status.ok()) call.stream->Ended(status);
}

}  // namespace tarot::bot_service
