#include "services/rules/transport/host_router.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/clock.h"
#include "libs/rpc/call.h"
#include "libs/rpc/client_network.h"
#include "libs/rpc/trace.h"
#include "libs/status/wire.h"
#include "services/rules/app/errors.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {
namespace {

constexpr char kForwardedMetadata[] = "x-tarot-forwarded";

// Returns the status for the caller. If the host has answered, returns the host's status unchanged.
// If gRPC ended the call as unavailable, cancelled or too late, returns HOST_AWAY.
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

HostRouter::Upstream::Upstream(const std::string& address)
    : stub(rpc::MakeServiceChannel("rules", address)) {}

bool HostRouter::Forwarded(const grpc::CallbackServerContext& context) {
  return context.client_metadata().count(kForwardedMetadata) > 0;
}

void HostRouter::MarkForwarded(grpc::ClientContext& context) {
  context.AddMetadata(kForwardedMetadata, "1");
}

absl::Time HostRouter::DeadlineOf(const grpc::CallbackServerContext& context) const {
  const gpr_timespec deadline = gpr_convert_clock_type(context.raw_deadline(), GPR_CLOCK_MONOTONIC);
  if (gpr_time_cmp(deadline, gpr_inf_future(GPR_CLOCK_MONOTONIC)) == 0) {
    return absl::InfiniteFuture();
  }
  const gpr_timespec left = gpr_time_sub(deadline, gpr_now(GPR_CLOCK_MONOTONIC));
  return clock_.Now() + absl::Seconds(left.tv_sec) + absl::Nanoseconds(left.tv_nsec);
}

bool HostRouter::Forward(const Call& call, rpc::Dispatcher::Finish& finish) {
  const std::string host = hosting_.HostOf(call.context.table);
  if (host.empty() || call.forwarded) return false;
  const auto flight = std::make_shared<InFlight>();
  const std::shared_ptr<Upstream> upstream = UpstreamAt(host);
  if (in_flight_.fetch_add(1) >= kForwardedCallsMax || !upstream->pending.Add(flight->context)) {
    --in_flight_;
    metrics_.calls_refused.Increment();
    finish(Overloaded());
    return true;
  }
  flight->finish = std::move(finish);
  identity_.Sign(*flight->context, call.context.caller);
  MarkForwarded(*flight->context);
  rpc::PassTraceOn(call.context.trace, *flight->context);
  if (!call.context.network.empty()) {
    flight->context->AddMetadata(rpc::kClientNetworkMetadata, call.context.network);
  }
  rpc::SetTimeout(
      *flight->context,
      std::min(call.context.deadline - clock_.Now() - kForwardDeadlineMargin, kForwardTimeoutMax));
  rpc::MethodMetrics method = calls_.Method(call.method);
  method.Started();
  method.MessageSent();
  upstream->stub.UnaryCall(
      &*flight->context, absl::StrCat("/", call.method), grpc::StubOptions(), &call.request,
      &call.response,
      [this, upstream = upstream.get(), flight, method](const grpc::Status& status) mutable {
        method.Handled(static_cast<absl::StatusCode>(status.error_code()), flight->watch.Elapsed());
        if (status.ok()) method.MessageReceived();
        const absl::Status outward = Outward(status);
        const bool answered = outward.ok() || outward != HostAway();
        (answered ? metrics_.calls_answered : metrics_.calls_failed).Increment();
        flight->finish(outward);
        --in_flight_;
        upstream->pending.Remove(flight->context);
      });
  return true;
}

std::shared_ptr<HostRouter::Upstream> HostRouter::UpstreamAt(const std::string& address) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Upstream>& upstream = upstreams_[address];
  if (upstream == nullptr) upstream = std::make_shared<Upstream>(address);
  return upstream;
}

void HostRouter::OnNodes(const cluster::NodeList& nodes) {
  std::vector<std::shared_ptr<Upstream>> gone, unused;
  {
    const std::lock_guard lock(mutex_);
    const auto used = std::partition(retired_.begin(), retired_.end(),
                                     [](const auto& upstream) { return upstream.use_count() > 1; });
    unused.assign(std::make_move_iterator(used), std::make_move_iterator(retired_.end()));
    retired_.erase(used, retired_.end());
    std::erase_if(upstreams_, [&](const auto& upstream) {
      const bool there = std::binary_search(nodes.begin(), nodes.end(), upstream.first);
      if (!there) gone.push_back(upstream.second);
      return !there;
    });
  }
  for (const std::shared_ptr<Upstream>& upstream : gone) upstream->pending.Stop();
  const std::lock_guard lock(mutex_);
  retired_.insert(retired_.end(), gone.begin(), gone.end());
}

void HostRouter::Stop() { OnNodes({}); }

}  // namespace tarot::rules_service
