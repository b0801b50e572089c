#include "services/gateway/transport/revocation_client.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "libs/rpc/call.h"
#include "libs/status/wire.h"
#include "libs/wire/values.h"
#include "services/gateway/app/errors.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {

namespace rv = ::tarot::ratings::v1;

namespace {

constexpr char kService[] = "tarot.ratings.v1.PlayerAdminService/";

template <typename Request, typename Response>
struct UnaryCall {
  std::optional<grpc::ClientContext> context{std::in_place};
  Request request;
  Response response;
  Stopwatch watch;
};

// Adds the revocation or the ban `stored`. Ignores kinds that this release does not know.
void AddTo(Revocations& revocations, const rv::Revocation& stored) {
  Revocation revocation;
  absl::string_view id = stored.subject();
  if (absl::ConsumePrefix(&id, "bans/")) {
    const std::optional<PlayerId> player = PlayerId::Parse(id);
    const auto end = wire::DecodeTime(stored.expire_time(), "expire_time");
    if (!player || !end.ok()) return;
    return revocations.Add({.player = *player, .end_time = *end, .message = stored.message()});
  }
  const bool player = absl::ConsumePrefix(&id, "players/");
  if (!player && !absl::ConsumePrefix(&id, "tokens/")) return;
  const std::optional<Uuid> subject = Uuid::Parse(id);
  const auto end = wire::DecodeTime(stored.expire_time(), "expire_time");
  const auto sign_in = wire::DecodeTime(stored.latest_sign_in_time(), "latest_sign_in_time");
  if (!subject || !end.ok() || !sign_in.ok()) return;
  revocation.subject = *subject;
  if (player) revocation.latest_sign_in_time = *sign_in;
  revocation.expire_time = *end;
  revocations.Add(revocation);
}

absl::Status Outward(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  // An error without details comes from gRPC and not from the ratings service.
  if (status.error_details().empty()) return ServiceAway("ratings");
  return status::FromGrpc(status);
}

}  // namespace

RevocationClient::RevocationClient(const std::shared_ptr<grpc::Channel>& ratings,
                                   const rpc::Authenticator& identity, Revocations& revocations,
                                   std::function<void(const LimitValues&)> on_limits, Clock& clock,
                                   Scheduler& scheduler, rpc::CallMetrics& calls, Metrics& metrics)
    : stub_(rv::PlayerAdminService::NewStub(ratings)),
      identity_(identity),
      revocations_(revocations),
      on_limits_(std::move(on_limits)),
      clock_(clock),
      scheduler_(scheduler),
      metrics_(metrics),
      ask_metrics_(calls.Method(absl::StrCat(kService, "GetRevocations"))),
      store_metrics_(calls.Method(absl::StrCat(kService, "RevokeTokens"))),
      next_removal_(clock.Now() + kRevocationsRemovalInterval) {}

bool RevocationClient::Start() {
  scheduler_.After(kFirstRevocationsWait, [first = first_] { first->Set(false); });
  Ask();
  return first_->known.get_future().get();
}

void RevocationClient::Ask() {
  const auto call =
      std::make_shared<UnaryCall<rv::GetRevocationsRequest, rv::GetRevocationsResponse>>();
  call->request.set_after_sequence(known_sequence_);
  identity_.Sign(*call->context, rpc::Caller{.service = "gateway"});
  rpc::SetTimeout(*call->context, kRevocationsTimeout);
  if (!pending_.Add(call->context)) return;
  ask_metrics_.Started();
  ask_metrics_.MessageSent();
  stub_->async()->GetRevocations(
      &*call->context, &call->request, &call->response, [this, call](const grpc::Status& status) {
        ask_metrics_.Handled(static_cast<absl::StatusCode>(status.error_code()),
                             call->watch.Elapsed());
        if (status.ok()) ask_metrics_.MessageReceived();
        if (status.ok() && Take(call->response)) {
          Ask();
        } else {
          scheduler_.After(status.ok() ? kRevocationsInterval : kRevocationsRetry,
                           [this] { Ask(); });
        }
        pending_.Remove(call->context);
      });
}

bool RevocationClient::Take(const rv::GetRevocationsResponse& page) {
  for (const rv::Revocation& stored : page.revocations()) {
    AddTo(revocations_, stored);
  }
  // A ratings service of the release before this one does not set `limits`.
  if (page.has_limits()) {
    LimitValues limits;
    for (const rv::GatewayLimit& each : page.limits().limits()) limits[each.name()] = each.value();
    if (known_limits_ != limits) on_limits_(limits);
    known_limits_ = std::move(limits);
  }
  const bool lost = page.last_sequence() < known_sequence_;
  known_sequence_ = lost ? 0 : page.known_sequence();
  if (clock_.Now() >= next_removal_) {
    revocations_.RemoveExpired(clock_.Now());
    next_removal_ = clock_.Now() + kRevocationsRemovalInterval;
  }
  metrics_.revocations.Set(static_cast<double>(revocations_.size()));
  metrics_.bans.Set(static_cast<double>(revocations_.ban_count()));
  const bool more = lost || known_sequence_ < page.last_sequence();
  if (!more) first_->Set(true);
  return more;
}

void RevocationClient::Store(const Revocation& revocation,
                             std::function<void(const absl::Status&)> done) {
  const auto call =
      std::make_shared<UnaryCall<rv::RevokeTokensRequest, rv::RevokeTokensResponse>>();
  call->request.set_subject(absl::StrCat(revocation.latest_sign_in_time ? "players/" : "tokens/",
                                         revocation.subject.ToString()));
  if (revocation.latest_sign_in_time) {
    wire::EncodeTime(*revocation.latest_sign_in_time, call->request.mutable_latest_sign_in_time());
  }
  wire::EncodeTime(revocation.expire_time, call->request.mutable_expire_time());
  identity_.Sign(*call->context, rpc::Caller{.service = "gateway"});
  rpc::SetTimeout(*call->context, kRevocationsTimeout);
  if (!pending_.Add(call->context)) return done(ServiceAway("ratings"));
  store_metrics_.Started();
  store_metrics_.MessageSent();
  stub_->async()->RevokeTokens(&*call->context, &call->request, &call->response,
                               [this, call, done = std::move(done)](const grpc::Status& status) {
                                 store_metrics_.Handled(
                                     static_cast<absl::StatusCode>(status.error_code()),
                                     call->watch.Elapsed());
                                 if (status.ok()) store_metrics_.MessageReceived();
                                 done(Outward(status));
                                 pending_.Remove(call->context);
                               });
}

}  // namespace tarot::gateway_service
