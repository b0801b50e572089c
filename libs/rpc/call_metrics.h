// Counts gRPC calls. Exports the counts as the series grpc_server_* and grpc_client_*, with the
// names that go-grpc-middleware uses.
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

// The series of one method. Get them once and keep them. Thread-safe; they take no locks.
class MethodMetrics {
 public:
  void Started() const;
  void MessageReceived() const;
  void MessageSent() const;
  void Handled(absl::StatusCode code, absl::Duration elapsed) const;

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

  // Registers every method of `service` at zero.
  void Register(const google::protobuf::ServiceDescriptor& service);
  // Registers services that are linked into this program, by their full names
  // ("tarot.rules.v1.TableService").
  void Register(std::initializer_list<const char*> services);

  // `method` is, for example, "tarot.rules.v1.TableService/SubmitAction". If a method is not
  // registered yet, it becomes a unary one. Never pass a name that a client has chosen.
  MethodMetrics Method(const std::string& method);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tarot::rpc
