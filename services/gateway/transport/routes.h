// The methods that the gateway forwards, each with its upstream, and functions that read requests.
// The services are listed by name, so that players cannot reach an internal service by mistake.
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
  // True for an expensive method: it lists pages of stored rows, or reads a table's whole log or
  // many deals of a player.
  bool list;
  // The default instance of the request message.
  const google::protobuf::Message* request;
  Upstream* upstream;
  rpc::MethodMetrics server;
  rpc::MethodMetrics client;
};

class Routes {
 public:
  // Adds a route for each method of `service`, and registers its metrics. `upstream` must outlive
  // the routes.
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

// Returns true if `request` parses as the route's message, and for every move, because the rules
// service checks moves itself. Without this check, a generated handler of gRPC 1.51 would answer
// UNIMPLEMENTED without a reason if the request does not parse.
bool IsWellFormed(const Route& route, const grpc::ByteBuffer& request);

// Returns the table of a name "tables/{uuid}", or nullopt for any other text.
std::optional<TableId> ParseTableName(absl::string_view name);

// Returns the table that the first field of the request names, as in most methods of TableService.
// Returns nullopt if the first field is not the name of a table. Reads no other field.
std::optional<TableId> PeekTable(const grpc::ByteBuffer& request);

// Does the same as PeekTable(), but also if the first field is a longer name that begins with the
// name of a table, such as "tables/{uuid}/deals/{number}".
std::optional<TableId> PeekTableOfName(const grpc::ByteBuffer& request);

}  // namespace tarot::gateway_service
