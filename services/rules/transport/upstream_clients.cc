#include "services/rules/transport/upstream_clients.h"

#include <utility>

#include "libs/base/clock.h"
#include "libs/rpc/call.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/status/wire.h"
#include "libs/wire/convert.h"
#include "libs/wire/values.h"
#include "services/rules/limits.h"
#include "services/rules/transport/convert.h"

namespace tarot::rules_service {
namespace {

// A unary call in flight.
template <typename Request, typename Response>
struct Call {
  std::optional<grpc::ClientContext> context{std::in_place};
  Request request;
  Response response;
  Stopwatch watch;
};

void CountStart(rpc::MethodMetrics& metrics) {
  metrics.Started();
  metrics.MessageSent();
}

void CountEnd(rpc::MethodMetrics& metrics, const grpc::Status& status, const Stopwatch& watch) {
  if (status.ok()) metrics.MessageReceived();
  metrics.Handled(static_cast<absl::StatusCode>(status.error_code()), watch.Elapsed());
}

template <typename CallType>
std::shared_ptr<CallType> NewCall(const rpc::Authenticator& identity, absl::Duration timeout) {
  auto call = std::make_shared<CallType>();
  identity.Sign(*call->context, rpc::Caller{.service = "rules"});
  rpc::SetTimeout(*call->context, timeout);
  return call;
}

absl::Status Stopped() { return absl::CancelledError("The service is stopping."); }

}  // namespace

GrpcBotClient::GrpcBotClient(const std::shared_ptr<grpc::Channel>& channel,
                             const rpc::Authenticator& identity, rpc::CallMetrics& metrics,
                             absl::Duration timeout)
    : stub_(tarot::bot::v1::BotService::NewStub(channel)),
      identity_(identity),
      metrics_(metrics.Method("tarot.bot.v1.BotService/ChooseAction")),
      timeout_(timeout) {}

void GrpcBotClient::Choose(const BotQuestion& question,
                           absl::AnyInvocable<void(absl::StatusOr<rules::Action>)> done) {
  using BotCall = Call<tarot::bot::v1::ChooseActionRequest, tarot::bot::v1::ChooseActionResponse>;
  const auto call = NewCall<BotCall>(identity_, timeout_);
  wire::EncodeView(question.view, question.rule_set, call->request.mutable_deal());
  call->request.set_level(question.level);
  call->request.set_seed(question.seed);
  if (!pending_.Add(call->context)) return done(Stopped());
  CountStart(metrics_);
  stub_->async()->ChooseAction(
      &*call->context, &call->request, &call->response,
      [this, call,
       done = std::make_shared<decltype(done)>(std::move(done))](const grpc::Status& status) {
        CountEnd(metrics_, status, call->watch);
        (*done)(status.ok() ? wire::DecodeAction(call->response.action(), "action")
                            : Failure(status));
        pending_.Remove(call->context);
      });
}

absl::Status GrpcBotClient::Failure(const grpc::Status& status) const {
  if (status.error_code() == grpc::StatusCode::CANCELLED && !stopping_) {
    return absl::UnavailableError("The bot service cancelled the call.");
  }
  return status::FromGrpc(status);
}

GrpcRatingSink::GrpcRatingSink(const std::shared_ptr<grpc::Channel>& channel,
                               const rpc::Authenticator& identity, rpc::CallMetrics& metrics)
    : stub_(tarot::ratings::v1::RatingIngestService::NewStub(channel)),
      identity_(identity),
      metrics_(metrics.Method("tarot.ratings.v1.RatingIngestService/RecordMatch")) {}

namespace {

void EncodeDeal(const FinishedDeal& deal, tarot::ratings::v1::DealtDeal* out) {
  using tarot::ratings::v1::DealtDeal;
  out->set_number(static_cast<std::uint32_t>(deal.number));
  out->set_dealer(static_cast<std::uint32_t>(deal.dealer));
  out->set_pack(deal.pack);
  out->set_outcome(deal.outcome == rules::Outcome::kScored   ? DealtDeal::SCORED
                   : deal.outcome == rules::Outcome::kVoided ? DealtDeal::VOIDED
                                                             : DealtDeal::NOT_PLAYED);
  for (const int score : deal.scores) out->add_scores(score);
  for (const rules::Seat seat : deal.stand_ins) {
    out->add_stand_in_seats(static_cast<std::uint32_t>(seat));
  }
}

}  // namespace

void GrpcRatingSink::Deliver(const OutboxItem& item, const std::vector<FinishedDeal>& deals,
                             absl::AnyInvocable<void(absl::Status)> done) {
  using RatingCall =
      Call<tarot::ratings::v1::RecordMatchRequest, tarot::ratings::v1::RecordMatchResponse>;
  const auto call = NewCall<RatingCall>(identity_, kSinkTimeout);
  call->request.set_table(TableName(item.config.id));
  call->request.set_deal_count(static_cast<std::uint32_t>(item.end.deals_scored));
  wire::EncodeTime(item.finish_time, call->request.mutable_match_time());
  call->request.set_unrated(!item.config.ranked);
  for (std::size_t seat = 0; seat < item.config.seats.size(); ++seat) {
    const SeatConfig& config = item.config.seats[seat];
    tarot::ratings::v1::MatchPlayer* player = call->request.add_players();
    player->set_player(PlayerName(config.player));
    player->set_display_name(config.display_name);
    player->set_bot(config.bot());
    player->set_total(item.end.totals[seat]);
  }
  if (!deals.empty()) call->request.set_rule_values(rules::EncodeRuleSet(item.config.rules));
  for (const FinishedDeal& deal : deals) EncodeDeal(deal, call->request.add_deals());
  if (!pending_.Add(call->context)) return done(Stopped());
  CountStart(metrics_);
  stub_->async()->RecordMatch(
      &*call->context, &call->request, &call->response,
      [this, call,
       done = std::make_shared<decltype(done)>(std::move(done))](const grpc::Status& status) {
        CountEnd(metrics_, status, call->watch);
        (*done)(status::FromGrpc(status));
        pending_.Remove(call->context);
      });
}

GrpcMatchmakingSink::GrpcMatchmakingSink(const std::shared_ptr<grpc::Channel>& channel,
                                         const rpc::Authenticator& identity,
                                         rpc::CallMetrics& metrics)
    : stub_(tarot::matchmaking::v1::MatchmakingAdminService::NewStub(channel)),
      identity_(identity),
      metrics_(metrics.Method("tarot.matchmaking.v1.MatchmakingAdminService/ReleaseTable")) {}

void GrpcMatchmakingSink::Deliver(const OutboxItem& item, const std::vector<FinishedDeal>& deals,
                                  absl::AnyInvocable<void(absl::Status)> done) {
  using ReleaseCall = Call<tarot::matchmaking::v1::ReleaseTableRequest,
                           tarot::matchmaking::v1::ReleaseTableResponse>;
  const auto call = NewCall<ReleaseCall>(identity_, kSinkTimeout);
  call->request.set_table(TableName(item.config.id));
  for (const PlayerId player : LeftPlayers(item.config, deals)) {
    call->request.add_left_players(PlayerName(player));
  }
  if (!pending_.Add(call->context)) return done(Stopped());
  CountStart(metrics_);
  stub_->async()->ReleaseTable(
      &*call->context, &call->request, &call->response,
      [this, call,
       done = std::make_shared<decltype(done)>(std::move(done))](const grpc::Status& status) {
        CountEnd(metrics_, status, call->watch);
        (*done)(status::FromGrpc(status));
        pending_.Remove(call->context);
      });
}

}  // namespace tarot::rules_service
