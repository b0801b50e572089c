// Sends a call about a table to the replica that hosts it, byte for byte, when this one does not.
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

#include "absl/strings/string_view.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/pending_calls.h"
#include "services/rules/app/hosting.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

// Thread-safe. A call is forwarded once at most: whoever gets a forwarded one answers it, whatever
// its own list of replicas says; the keys of the log referee.
class HostRouter {
 public:
  HostRouter(const Hosting& hosting, const rpc::Authenticator& identity, rpc::CallMetrics& calls,
             HostingMetrics& metrics)
      : hosting_(hosting), identity_(identity), calls_(calls), metrics_(metrics) {}
  ~HostRouter() { Stop(); }

  // A call about a table, as the dispatcher hands it to its handler. `request` and `response` live
  // until `finish`.
  struct Call {
    gpr_timespec deadline;
    bool forwarded;      // By another replica.
    const char* method;  // "tarot.rules.v1.TableService/GetTable"
    const rpc::Caller& caller;
    absl::string_view traceparent;  // Goes along.
    const grpc::ByteBuffer& request;
    grpc::ByteBuffer& response;
  };

  static bool Forwarded(const grpc::CallbackServerContext& context);

  // False when the call is to be answered here: `finish` is untouched then. Otherwise it gets what
  // the host answers, or UNAVAILABLE HOST_AWAY, or UNAVAILABLE OVERLOADED when too many are on
  // their way. Does not wait.
  bool Forward(const Call& call, TableId table, rpc::Dispatcher::Finish& finish);

  // Asks the replica at `address` whether it is there; `answered` runs when it says so, within two
  // seconds. Any thread; does not wait.
  void Ping(const std::string& address, std::function<void()> answered);

  // Calls on their way to replicas that are no more end at once. Call it after each beat.
  void OnNodes(const cluster::NodeList& nodes);

  // Ends what is on its way, and forwards no more.
  void Stop();

 private:
  struct Peer {
    explicit Peer(const std::string& address);
    grpc::GenericStub stub;
    rpc::PendingCalls pending;
  };

  std::shared_ptr<Peer> PeerAt(const std::string& address);

  const Hosting& hosting_;
  const rpc::Authenticator& identity_;
  rpc::CallMetrics& calls_;
  HostingMetrics& metrics_;
  std::atomic<int> in_flight_ = 0;
  std::mutex mutex_;  // Guards the two below.
  std::map<std::string, std::shared_ptr<Peer>> peers_;
  // Stopped; until nobody holds them any more, so that no thread of gRPC is the last owner of a
  // channel: it would join itself.
  std::vector<std::shared_ptr<Peer>> retired_;
};

}  // namespace tarot::rules_service
