// Declares the router, which forwards a call about a table, byte for byte, to the table's host, if
// this replica is not the host.
#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/pending_calls.h"
#include "services/rules/app/hosting.h"
#include "services/rules/app/table_service.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

// Thread-safe. A call is forwarded at most once: the replica that gets a forwarded call answers it,
// even if its own list names another host. So for a moment two replicas may write to one log. In
// this case, the keys of the log refuse the second write.
class HostRouter {
 public:
  HostRouter(const Hosting& hosting, const rpc::Authenticator& identity, Clock& clock,
             rpc::CallMetrics& calls, HostingMetrics& metrics)
      : hosting_(hosting), identity_(identity), clock_(clock), calls_(calls), metrics_(metrics) {}
  ~HostRouter() { Stop(); }

  // A call about a table. `request` and `response` must live until `finish` is called.
  struct Call {
    RequestContext context;
    bool forwarded;      // True if another replica forwarded the call to this replica.
    const char* method;  // For example "tarot.rules.v1.TableService/GetTable".
    const grpc::ByteBuffer& request;
    grpc::ByteBuffer& response;
  };

  // Returns true if another replica has forwarded the call of `context`.
  static bool Forwarded(const grpc::CallbackServerContext& context);

  // Marks a call so that Forwarded() returns true for it.
  static void MarkForwarded(grpc::ClientContext& context);

  // Returns the time at which the caller stops waiting; InfiniteFuture if the call has no deadline.
  absl::Time DeadlineOf(const grpc::CallbackServerContext& context) const;

  // Returns the host of a table, as Hosting::HostOf does.
  std::string HostOf(TableId table) const { return hosting_.HostOf(table); }

  // Returns false and does not use `finish` if this replica must answer the call. If another
  // replica hosts the table, forwards the call and returns true. Then `finish` gets the answer of
  // the host, UNAVAILABLE HOST_AWAY or UNAVAILABLE OVERLOADED. OVERLOADED means that too many
  // forwarded calls wait for answers, or that the host has just left the list. Does not wait.
  bool Forward(const Call& call, rpc::Dispatcher::Finish& finish);

  // Cancels the calls to replicas that have left the list. Call this function after each heartbeat.
  void OnNodes(const cluster::NodeList& nodes);

  // Cancels all forwarded calls and waits until they have ended. Call this function only when no
  // new calls can come.
  void Stop();

 private:
  struct Upstream {
    explicit Upstream(const std::string& address);
    grpc::GenericStub stub;
    rpc::PendingCalls pending;
  };

  std::shared_ptr<Upstream> UpstreamAt(const std::string& address);

  const Hosting& hosting_;
  const rpc::Authenticator& identity_;
  Clock& clock_;
  rpc::CallMetrics& calls_;
  HostingMetrics& metrics_;
  std::atomic<int> in_flight_ = 0;
  std::mutex mutex_;  // Guards the two members below.
  std::map<std::string, std::shared_ptr<Upstream>> upstreams_;
  // Stopped upstreams that a thread may still use. This list must be their last owner. If a gRPC
  // thread were the last owner, it would destroy the upstream, and this would make the thread wait
  // for itself forever.
  std::vector<std::shared_ptr<Upstream>> retired_;
};

}  // namespace tarot::rules_service
