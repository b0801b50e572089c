#include "services/gateway/transport/forwarder.h"

#include <memory>
#include <utility>

#include "libs/status/wire.h"
#include "services/gateway/app/errors.h"
#include "services/gateway/transport/forwarded_call.h"
#include "services/gateway/transport/player_watch.h"

namespace tarot::gateway_service {
namespace {

constexpr absl::string_view kWatchTable = "/tarot.rules.v1.TableService/WatchTable";

// A call that ends at once.
class RefusedCall final : public grpc::ServerGenericBidiReactor {
 public:
  explicit RefusedCall(const absl::Status& status) { Finish(status::ToGrpc(status)); }

 private:
  void OnDone() override { delete this; }
};

}  // namespace

Forwarder::Forwarder(SlotLimit streams, SlotLimit calls, const Routes& routes,
                     AuthInterceptor& auth, TableHub& hub, const rpc::Authenticator& identity,
                     Clock& clock, Metrics& metrics)
    : routes_(routes),
      auth_(auth),
      hub_(hub),
      identity_(identity),
      clock_(clock),
      metrics_(metrics),
      stream_slots_(streams),
      unary_slots_(calls) {}

grpc::ServerGenericBidiReactor* Forwarder::CreateReactor(
    grpc::GenericCallbackServerContext* context) {
  const Route* route = routes_.Find(context->method());
  if (route == nullptr) return new RefusedCall(MethodNotForwarded(context->method()));
  const absl::Time start = clock_.Now();
  route->server.Started();
  absl::StatusOr<SignedInPlayer> player = auth_.Admit(*context);
  const absl::Status status = player.ok() ? AcquireSlot(*route, player->id) : player.status();
  if (!status.ok()) {
    route->server.Handled(status.code(), clock_.Now() - start);
    return new RefusedCall(status);
  }
  if (route->path == kWatchTable) {
    PlayerWatch& watch = *PlayerWatch::Open(*route, *player, hub_, clock_, metrics_, *this);
    Keep(watch);
    return &watch;
  }
  auto* const call =
      new ForwardedCall(*route, *std::move(player), identity_, clock_, *context, *this);
  if (route->streaming) Keep(*call);
  return call;
}

absl::Status Forwarder::AcquireSlot(const Route& route, const PlayerId& player) {
  const absl::Status slot = (route.streaming ? stream_slots_ : unary_slots_).Acquire(player);
  if (absl::IsUnavailable(slot)) {
    metrics_.overloaded.Increment();
  } else if (!slot.ok()) {
    (route.streaming ? metrics_.limited_streams : metrics_.limited_in_flight).Increment();
  } else if (route.streaming) {
    metrics_.streams_open.Increment();
  }
  return slot;
}

void Forwarder::Keep(PlayerStream& stream) {
  const std::lock_guard lock(mutex_);
  streams_.insert(&stream);
  if (ending_) stream.SendAway();
}

void Forwarder::StreamDone(PlayerStream& stream, const PlayerId& player) {
  stream_slots_.Release(player);
  metrics_.streams_open.Decrement();
  const std::lock_guard lock(mutex_);
  streams_.erase(&stream);
}

void Forwarder::EndStreams() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  for (PlayerStream* stream : streams_) stream->SendAway();
}

}  // namespace tarot::gateway_service
