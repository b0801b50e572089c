#include "services/gateway/transport/forwarder.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/strip.h"
#include "libs/status/wire.h"
#include "services/gateway/app/errors.h"
#include "services/gateway/limits.h"
#include "services/gateway/transport/door.h"
#include "services/gateway/transport/forwarded_call.h"
#include "services/gateway/transport/player_watch.h"

namespace tarot::gateway_service {
namespace {

constexpr absl::string_view kWatchTable = "/tarot.rules.v1.TableService/WatchTable";
constexpr absl::string_view kAnalyzeDeal = "/tarot.bot.v1.AnalysisService/AnalyzeDeal";

SlotLimit WithNetwork(SlotLimit limit) {
  limit.per_network = kNetworkFactor * limit.per_address;
  return limit;
}

// A call that the gateway refuses and ends at once.
class RefusedCall final : public grpc::ServerGenericBidiReactor {
 public:
  explicit RefusedCall(const absl::Status& status) { Finish(status::ToGrpc(status)); }

 private:
  void OnDone() override { delete this; }
};

RefusedCall* Refuse(absl::string_view method, const absl::Status& status,
                    const std::string& traceparent, absl::Time start, absl::Time now) {
  LogAnswered(method, status, traceparent, start, now);
  return new RefusedCall(status);
}

}  // namespace

Forwarder::Forwarder(SlotLimit streams, SlotLimit calls, const rpc::Cells& cells,
                     std::string region, const Routes& routes, AuthInterceptor& auth,
                     const Revocations& revocations, TableHub& hub,
                     const rpc::Authenticator& identity, Traces& traces, Clock& clock,
                     Scheduler& scheduler, Metrics& metrics)
    : region_(std::move(region)),
      routes_(routes),
      auth_(auth),
      revocations_(revocations),
      hub_(hub),
      identity_(identity),
      traces_(traces),
      clock_(clock),
      scheduler_(scheduler),
      metrics_(metrics),
      incomplete_slots_(WithNetwork({.per_player = kIncompleteCallsPerPlayerMax,
                                     .per_address = kIncompleteCallsPerAddressMax,
                                     .all = std::numeric_limits<int>::max()})),
      stream_slots_(WithNetwork(streams)),
      analysis_slots_(WithNetwork({.per_player = kAnalysesPerPlayerMax,
                                   .per_address = kAnalysesPerAddressMax,
                                   .all = calls.all})),
      list_slots_(WithNetwork({.per_player = kListsPerPlayerMax,
                               .per_address = kListsPerAddressMax,
                               .all = calls.all})),
      unary_slots_(WithNetwork(calls)) {
  SlotLimit share = WithNetwork(calls);
  share.all = calls.all / static_cast<int>(cells.size());
  const SlotLimit list_share = WithNetwork(
      {.per_player = kListsPerPlayerMax, .per_address = kListsPerAddressMax, .all = share.all});
  for (const auto& [number, cell] : cells) {
    if (cells.size() == 1) continue;
    cell_slots_.try_emplace(number, share);
    cell_list_slots_.try_emplace(number, list_share);
  }
  KeepSweeping();
}

void Forwarder::SetStreamLimit(SlotLimit streams) { stream_slots_.SetLimit(WithNetwork(streams)); }

grpc::ServerGenericBidiReactor* Forwarder::CreateReactor(
    grpc::GenericCallbackServerContext* context) {
  const absl::Time start = clock_.Now();
  std::string trace = traces_.Begin(*context);
  const Route* route = routes_.Find(context->method());
  if (route == nullptr) {
    // Logs "unknown", not the method: the log counts its lines by method, and a client can invent
    // methods.
    return Refuse("unknown", MethodNotForwarded(context->method()), trace, start, start);
  }
  route->server.Started();
  absl::StatusOr<SignedInPlayer> player = auth_.Admit(*context, route->list ? kListCost : 1);
  SlotHolder holder;
  if (player.ok()) {
    holder = {.player = player->id, .address = ClientAddress(*context)};
    holder.network = WideNetworkKey(holder.address);
  }
  const absl::Status status = player.ok() ? Begin(*context, holder) : player.status();
  if (!status.ok()) {
    const absl::Time now = clock_.Now();
    route->server.Handled(status, now - start);
    return Refuse(absl::StripPrefix(route->path, "/"), status, trace, start, now);
  }
  if (route->path == kWatchTable) {
    PlayerWatch& watch =
        *PlayerWatch::Open(*route, holder, hub_, clock_, metrics_, *context, *this);
    Keep(watch, *player);
    return &watch;
  }
  auto* const call =
      new ForwardedCall(*route, std::move(holder), player->display_name, std::move(trace), region_,
                        identity_, clock_, *context, *this);
  if (route->streaming) Keep(*call, *player);
  return call;
}

absl::Status Forwarder::Begin(grpc::CallbackServerContext& call, const SlotHolder& holder) {
  const absl::Status slot = AcquireSlot(incomplete_slots_, holder);
  if (!slot.ok()) {
    metrics_.limited_in_flight.Increment();
    return slot;
  }
  const std::lock_guard lock(mutex_);
  incomplete_[&call] = {.call = &call, .start = clock_.Now()};
  if (callers_.size() < kCallersMax) callers_.insert(holder.player);
  return absl::OkStatus();
}

absl::Status Forwarder::TakeSlot(const grpc::CallbackServerContext& call, const Route& route,
                                 std::optional<int> cell, const SlotHolder& holder) {
  {
    const std::lock_guard lock(mutex_);
    incomplete_.erase(&call);
  }
  incomplete_slots_.Release(holder);
  const absl::Status slot = AcquireSlot(SlotsOf(route, cell), holder);
  if (absl::IsUnavailable(slot)) {
    metrics_.overloaded.Increment();
  } else if (!slot.ok()) {
    (route.streaming ? metrics_.limited_streams : metrics_.limited_in_flight).Increment();
  } else if (route.streaming) {
    metrics_.streams_open.Increment();
  }
  return slot;
}

Slots& Forwarder::SlotsOf(const Route& route, std::optional<int> cell) {
  if (route.path == kAnalyzeDeal) return analysis_slots_;
  if (route.streaming) return stream_slots_;
  std::map<int, Slots>& of_cells = route.list ? cell_list_slots_ : cell_slots_;
  const auto found = cell ? of_cells.find(*cell) : of_cells.end();
  if (found != of_cells.end()) return found->second;
  return route.list ? list_slots_ : unary_slots_;
}

void Forwarder::ReturnSlot(const Route& route, std::optional<int> cell, const SlotHolder& holder) {
  SlotsOf(route, cell).Release(holder);
  if (route.streaming) metrics_.streams_open.Decrement();
}

void Forwarder::CallDone(const grpc::CallbackServerContext& call, const SlotHolder& holder,
                         PlayerStream* stream) {
  bool incomplete = false;
  {
    const std::lock_guard lock(mutex_);
    incomplete = incomplete_.erase(&call) > 0;
    const auto found = streams_.find(stream);
    if (found != streams_.end()) {
      const auto player = streams_of_players_.find(found->second.player);
      if (--player->second == 0) streams_of_players_.erase(player);
      metrics_.players_active.Set(static_cast<double>(streams_of_players_.size()));
      streams_.erase(found);
    }
  }
  if (stream != nullptr) stream_over_.notify_all();
  if (incomplete) incomplete_slots_.Release(holder);
}

void Forwarder::KeepSweeping() {
  scheduler_.After(absl::Seconds(1), [this] {
    const absl::Time latest = clock_.Now() - kRequestTimeout;
    {
      // The calls in `incomplete_` still exist. A call leaves `incomplete_` under this mutex before
      // its context is destroyed.
      const std::lock_guard lock(mutex_);
      for (auto& [call, incomplete] : incomplete_) {
        if (incomplete.start <= latest) incomplete.call->TryCancel();
      }
      const std::uint64_t add_count = revocations_.add_count();
      if (std::exchange(seen_revocations_, add_count) != add_count) {
        for (const auto& [stream, owner] : streams_) {
          const absl::Status status = revocations_.Check(owner.player, owner.token, clock_.Now());
          if (!status.ok()) stream->Refuse(status);
        }
      }
    }
    KeepSweeping();
  });
}

void Forwarder::Keep(PlayerStream& stream, const SignedInPlayer& player) {
  const std::lock_guard lock(mutex_);
  streams_[&stream] = {.player = player.id, .token = player.token};
  ++streams_of_players_[player.id];
  metrics_.players_active.Set(static_cast<double>(streams_of_players_.size()));
  if (ending_) stream.SendAway();
  // The token may have been revoked after Admit() checked it.
  const absl::Status status = revocations_.Check(player.id, player.token, clock_.Now());
  if (!status.ok()) stream.Refuse(status);
}

void Forwarder::EndStreams(absl::Duration spread) {
  std::unique_lock lock(mutex_);
  const auto steps = static_cast<std::size_t>(spread / kStreamsEndInterval);
  const std::size_t share =
      steps == 0 ? streams_.size() : std::max(kStreamsEndLeast, streams_.size() / steps + 1);
  const auto interval = absl::ToChronoMilliseconds(kStreamsEndInterval);
  for (std::size_t step = 0; step < steps && SendAway(share); ++step) {
    stream_over_.wait_for(lock, interval, [this] { return streams_.empty(); });
  }
  ending_ = true;
  SendAway(streams_.size());
}

std::vector<PlayerId> Forwarder::TakeActivePlayers() {
  absl::flat_hash_set<PlayerId> active;
  {
    const std::lock_guard lock(mutex_);
    active.swap(callers_);
    for (const auto& [player, count] : streams_of_players_) active.insert(player);
  }
  return {active.begin(), active.end()};
}

bool Forwarder::SendAway(std::size_t most) {
  for (auto& [stream, owner] : streams_) {
    if (owner.sent_away) continue;
    if (most-- == 0) return true;
    owner.sent_away = true;
    stream->SendAway();
  }
  return false;
}

}  // namespace tarot::gateway_service
