// Which methods the gateway forwards, and where to: whole services by name, so that nothing
// internal is ever open by mistake.
#pragma once

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "libs/rpc/call_metrics.h"
#include "services/gateway/transport/peer.h"

namespace google::protobuf {
class ServiceDescriptor;
}

namespace tarot::gateway {

struct Route {
  std::string path;  // "/tarot.rules.v1.TableService/SubmitAction"
  bool streaming;    // From the server.
  bool move;         // SubmitAction: goes on the peer's stream of moves, if it has one.
  Peer* peer;
  rpc::MethodMetrics server;
  rpc::MethodMetrics client;
};

class Routes {
 public:
  // Registers the metrics of every method, too. `peer` outlives the routes.
  void Add(const google::protobuf::ServiceDescriptor& service, Peer& peer, rpc::CallMetrics& server,
           rpc::CallMetrics& client);

  // Null when the method is not forwarded.
  const Route* Find(const std::string& path) const;

 private:
  absl::flat_hash_map<std::string, std::unique_ptr<Route>> routes_;
};

// The services of players, with rules, matchmaking, ratings and bot as their peers.
void AddPlayerServices(Peer& rules, Peer& matchmaking, Peer& ratings, Peer& bot,
                       rpc::CallMetrics& server, rpc::CallMetrics& client, Routes& routes);

}  // namespace tarot::gateway
