// The methods that the gateway forwards, their upstreams, and the table that a request names. The
// services are listed by name, so that no internal service becomes reachable by mistake.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "libs/base/ids.h"
#include "libs/rpc/call_metrics.h"
#include "services/gateway/transport/upstream.h"

namespace google::protobuf {
class Message;
class ServiceDescriptor;
}  // namespace google::protobuf

namespace tarot::gateway_service {

struct Route {
  std::string path;  // For example "/tarot.rules.v1.TableService/SubmitAction".
  bool streaming;    // True if the service streams to the player.
  // True for SubmitAction, which uses the upstream's stream of moves if there is one.
  bool move;
  // True if the method lists pages of stored rows. One such call costs as much as many others.
  bool list;
  // The default instance of the request's message.
  const google::protobuf::Message* request;
  Upstream* upstream;
  rpc::MethodMetrics server;
  rpc::MethodMetrics client;
};

class Routes {
 public:
  // Also registers the metrics of every method. `upstream` must outlive the routes.
  void Add(const google::protobuf::ServiceDescriptor& service, Upstream& upstream,
           rpc::CallMetrics& server, rpc::CallMetrics& client);

  // Returns null if the method is not forwarded.
  const Route* Find(const std::string& path) const;

 private:
  absl::flat_hash_map<std::string, std::unique_ptr<Route>> routes_;
};

// Adds all services that players may call.
void AddPlayerServices(Upstream& rules, Upstream& matchmaking, Upstream& ratings, Upstream& bot,
                       rpc::CallMetrics& server, rpc::CallMetrics& client, Routes& routes);

// Returns whether `request` parses as the route's message. If it does not, a generated handler of
// gRPC 1.51 answers UNIMPLEMENTED without a reason. Moves are not parsed here, because rules parses
// them itself and gives the reason.
bool IsWellFormed(const Route& route, const grpc::ByteBuffer& request);

// Returns the table of a name "tables/{uuid}", or nullopt for any other text.
std::optional<TableId> ParseTableName(absl::string_view name);

// Returns the table of a request whose first field is the name of a table, as in most methods of
// TableService. Reads no other field.
std::optional<TableId> PeekTable(const grpc::ByteBuffer& request);

}  // namespace tarot::gateway_service
