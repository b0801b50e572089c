// Counts and times gRPC calls, as the metrics grpc_server_* and grpc_client_* with the names of
// go-grpc-middleware. A server also has the metrics tarot_rpc_*, which show its overload.
#pragma once

#include <prometheus/registry.h>

#include <initializer_list>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace google::protobuf {
class ServiceDescriptor;
}

namespace tarot::rpc {

enum class Side { kServer, kClient };

// The metrics of one method. Get this object once and keep it. Thread-safe.
class MethodMetrics {
 public:
  void Started() const;
  void MessageReceived() const;
  void MessageSent() const;
  void Handled(absl::StatusCode code, absl::Duration elapsed) const;
  // Like Handled(status.code(), elapsed). At a server, also counts the reason if the code is
  // UNAVAILABLE.
  void Handled(const absl::Status& status, absl::Duration elapsed) const;

 private:
  friend class CallMetrics;
  struct Series;
  explicit MethodMetrics(std::shared_ptr<Series> series) : series_(std::move(series)) {}
  std::shared_ptr<Series> series_;
};

class CallMetrics {
 public:
  CallMetrics(Side side, prometheus::Registry& registry);
  ~CallMetrics();

  // Creates the metrics of every method of `service`, with the value zero.
  void Register(const google::protobuf::ServiceDescriptor& service);
  // Creates the metrics of services that are linked into this program, with the value zero. Each
  // name is a full name, for example "tarot.rules.v1.TableService".
  void Register(std::initializer_list<const char*> services);

  // Returns the metrics of `method`, for example "tarot.rules.v1.TableService/SubmitAction". If the
  // method is not registered, registers it as a unary method. Never pass a name that a client has
  // chosen.
  MethodMetrics Method(const std::string& method);

  // Only for a server. AddWaitingCapacity adds to the number of calls that may wait for a worker.
  // AddWaiting adds to the number of calls that wait; `calls` may be negative.
  void AddWaitingCapacity(int calls);
  void AddWaiting(int calls);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tarot::rpc
