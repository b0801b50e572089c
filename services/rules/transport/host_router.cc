#include "services/rules/transport/host_router.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/stopwatch.h"
#include "libs/rpc/channel.h"
#include "libs/rpc/trace.h"
#include "libs/status/wire.h"

namespace tarot::rules_service {
namespace {

constexpr char kForwardedMetadata[] = "x-tarot-forwarded";
constexpr int kInFlightMax = 1024;
constexpr int kSecondsMax = 10;
constexpr absl::Duration kPingTimeout = absl::Seconds(2);
// The inner call ends a little before the outer one, so that its answer still has time to travel.
constexpr int kDeadlineMarginMilliseconds = 10;

absl::Status Overloaded() {
  return Error(absl::StatusCode::kUnavailable, "OVERLOADED", "The server is busy.");
}

absl::Status HostAway() {
  return Error(absl::StatusCode::kUnavailable, "HOST_AWAY",
               "The server that hosts the table does not answer; try again.");
}

gpr_timespec InnerDeadline(gpr_timespec deadline) {
  const gpr_timespec outer =
      gpr_time_sub(gpr_convert_clock_type(deadline, GPR_CLOCK_MONOTONIC),
                   gpr_time_from_millis(kDeadlineMarginMilliseconds, GPR_TIMESPAN));
  return gpr_time_min(outer, gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                                          gpr_time_from_seconds(kSecondsMax, GPR_TIMESPAN)));
}

// What the host says passes unchanged; what gRPC says about the way to it is told in our words.
absl::Status Outward(const grpc::Status& status) {
  const grpc::StatusCode code = status.error_code();
  const bool lost = status.error_details().empty() &&
                    (code == grpc::StatusCode::UNAVAILABLE || code == grpc::StatusCode::CANCELLED ||
                     code == grpc::StatusCode::DEADLINE_EXCEEDED);
  return lost ? HostAway() : status::FromGrpc(status);
}

struct InFlight {
  std::optional<grpc::ClientContext> context{std::in_place};
  Stopwatch watch;
  rpc::Dispatcher::Finish finish;
};

}  // namespace

HostRouter::Peer::Peer(const std::string& address) : stub(rpc::MakeChannel(address)) {}

bool HostRouter::Forwarded(const grpc::CallbackServerContext& context) {
  return context.client_metadata().count(kForwardedMetadata) > 0;
}

bool HostRouter::Forward(const Call& call, TableId table, rpc::Dispatcher::Finish& finish) {
  const std::string host = hosting_.HostOf(table);
  if (host.empty() || call.forwarded) return false;
  const auto flight = std::make_shared<InFlight>();
  const std::shared_ptr<Peer> peer = PeerAt(host);
  if (in_flight_.fetch_add(1) >= kInFlightMax || !peer->pending.Add(flight->context)) {
    --in_flight_;
    metrics_.calls_refused.Increment();
    finish(Overloaded());
    return true;
  }
  flight->finish = std::move(finish);
  identity_.Sign(*flight->context, call.caller);
  flight->context->AddMetadata(kForwardedMetadata, "1");
  rpc::PassTraceOn(call.traceparent, *flight->context);
  flight->context->set_deadline(InnerDeadline(call.deadline));
  rpc::MethodMetrics method = calls_.Method(call.method);
  method.Started();
  method.MessageSent();
  peer->stub.UnaryCall(
      &*flight->context, absl::StrCat("/", call.method), grpc::StubOptions(), &call.request,
      &call.response,
      [this, peer = peer.get(), flight, method](const grpc::Status& status) mutable {
        method.Handled(static_cast<absl::StatusCode>(status.error_code()), flight->watch.Elapsed());
        if (status.ok()) method.MessageReceived();
        const absl::Status outward = Outward(status);
        const bool answered = outward.ok() || outward != HostAway();
        (answered ? metrics_.calls_answered : metrics_.calls_failed).Increment();
        flight->finish(outward);
        --in_flight_;
        peer->pending.Remove(flight->context);
      });
  return true;
}

// By gRPC's own health service, which every server of ours has.
void HostRouter::Ping(const std::string& address, std::function<void()> answered) {
  struct Flight {
    std::optional<grpc::ClientContext> context{std::in_place};
    grpc::ByteBuffer request, response;
  };
  const std::shared_ptr<Peer> peer = PeerAt(address);
  const auto flight = std::make_shared<Flight>();
  const grpc::Slice empty;
  flight->request = grpc::ByteBuffer(&empty, 1);
  rpc::SetTimeout(*flight->context, kPingTimeout);
  if (!peer->pending.Add(flight->context)) return;
  peer->stub.UnaryCall(
      &*flight->context, "/grpc.health.v1.Health/Check", grpc::StubOptions(), &flight->request,
      &flight->response,
      [peer = peer.get(), flight, answered = std::move(answered)](const grpc::Status& status) {
        if (status.ok()) answered();
        peer->pending.Remove(flight->context);
      });
}

std::shared_ptr<HostRouter::Peer> HostRouter::PeerAt(const std::string& address) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Peer>& peer = peers_[address];
  if (peer == nullptr) peer = std::make_shared<Peer>(address);
  return peer;
}

void HostRouter::OnNodes(const cluster::NodeList& nodes) {
  std::vector<std::shared_ptr<Peer>> gone, unused;
  {
    const std::lock_guard lock(mutex_);
    const auto used = std::partition(retired_.begin(), retired_.end(),
                                     [](const auto& peer) { return peer.use_count() > 1; });
    unused.assign(std::make_move_iterator(used), std::make_move_iterator(retired_.end()));
    retired_.erase(used, retired_.end());
    std::erase_if(peers_, [&](const auto& peer) {
      const bool there = std::binary_search(nodes.begin(), nodes.end(), peer.first);
      if (!there) gone.push_back(peer.second);
      return !there;
    });
  }
  for (const std::shared_ptr<Peer>& peer : gone) peer->pending.Stop();
  const std::lock_guard lock(mutex_);
  retired_.insert(retired_.end(), gone.begin(), gone.end());
}

void HostRouter::Stop() { OnNodes({}); }

}  // namespace tarot::rules_service
