// The gateway on a real port before a fake service whose methods do what the test says: for the
// tests and the benchmark of this folder.
#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "libs/base/entropy.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/server.h"
#include "libs/rpc/watch_stream.h"
#include "libs/testkit/manual_time.h"
#include "services/gateway/service.h"
#include "tarot/gateway/v1/session_service.grpc.pb.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::gateway {

using TableStream = rpc::WatchStream<rules::v1::WatchTableResponse>;

// What the fake service saw of a call.
struct Seen {
  rpc::Caller caller;
  std::multimap<std::string, std::string> metadata;
  absl::Duration deadline;  // From the call's arrival.
};

// The rules service, as far as the gateway can tell.
class FakeTables final : public rules::v1::TableService::CallbackService {
 public:
  explicit FakeTables(Clock& clock);

  std::function<grpc::Status()> on_get = [] { return grpc::Status::OK; };
  std::function<void(const std::shared_ptr<TableStream>&)> on_watch;
  // GetTable of this name waits until it is cancelled.
  static constexpr char kNever[] = "tables/never";

  Seen last_seen();
  std::atomic<int> gets = 0;
  std::atomic<int> cancelled_gets = 0;
  std::atomic<int> ended_watches = 0;

  // Answers with the name that was asked for.
  grpc::ServerUnaryReactor* GetTable(grpc::CallbackServerContext* context,
                                     const rules::v1::GetTableRequest* request,
                                     rules::v1::GetTableResponse* response) override;
  grpc::ServerWriteReactor<rules::v1::WatchTableResponse>* WatchTable(
      grpc::CallbackServerContext* context, const rules::v1::WatchTableRequest* request) override;

 private:
  absl::Status Note(const grpc::CallbackServerContext& context);

  Clock& clock_;
  rpc::Authenticator authenticator_;
  prometheus::Registry registry_;
  rpc::CallMetrics calls_{rpc::Side::kServer, registry_};
  std::mutex mutex_;
  Seen seen_;
};

// Everything, with one clock that only the test moves.
class World {
 public:
  // `change` sees the options before the gateway starts.
  explicit World(const std::function<void(Options&)>& change = [](Options&) {});
  ~World();

  // The fake service's server; it comes back at the same port.
  void StopBackend();
  void StartBackend();

  // A token of a new guest.
  std::string SignIn(const std::string& name = "Anna");
  absl::Status GetTable(const std::string& token, const std::string& name = "tables/1",
                        absl::Duration timeout = absl::Seconds(10));
  void WriteGatewayKeys(const std::string& lines);

  // The value of a counter or gauge of the gateway; `label` is a value that one of its labels has.
  double Metric(const std::string& name, const std::string& label = "");

  testkit::ManualTime time;
  FakeTables tables{time};
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::SessionService::Stub> sessions;
  std::unique_ptr<rules::v1::TableService::Stub> stub;
  std::unique_ptr<Service> gateway;
  int backend_port = 0;

 private:
  std::string directory_;
  SeededEntropy entropy_{1};
  std::shared_ptr<prometheus::Registry> registry_ = std::make_shared<prometheus::Registry>();
  rules::v1::TableAdminService::CallbackService admin_;  // There, but not for players.
  std::unique_ptr<rpc::Server> backend_;
};

void AddToken(grpc::ClientContext& context, const std::string& token);

// Waits, in real time, until `condition` holds; false after ten seconds.
bool Eventually(const std::function<bool()>& condition);

// Keys for tests: "kid:base64", from a letter.
std::string TestKey(const std::string& kid, char letter);

}  // namespace tarot::gateway
