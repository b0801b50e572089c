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
#include <set>
#include <string>
#include <vector>

#include "libs/base/entropy.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/server.h"
#include "libs/rpc/watch_stream.h"
#include "libs/testkit/manual_time.h"
#include "services/gateway/service.h"
#include "services/gateway/testing/fake_moves.h"
#include "tarot/gateway/v1/session_service.grpc.pb.h"
#include "tarot/rules/v1/node_service.grpc.pb.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"
#include "tarot/rules/v1/table_feed_service.grpc.pb.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::gateway_service {

namespace v1 = ::tarot::gateway::v1;

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
  // GetTable of this name waits until it is cancelled. Set it before it is asked for.
  std::string never = "tables/never";

  Seen last_seen();
  std::atomic<int> gets = 0;
  std::atomic<int> cancelled_gets = 0;

  // Answers with the name that was asked for.
  grpc::ServerUnaryReactor* GetTable(grpc::CallbackServerContext* context,
                                     const rules::v1::GetTableRequest* request,
                                     rules::v1::GetTableResponse* response) override;

 private:
  absl::Status Note(const grpc::CallbackServerContext& context);

  Clock& clock_;
  rpc::Authenticator authenticator_;
  std::mutex mutex_;
  Seen seen_;
};

// Its feeds: of every table it tells revision 0, unless it was told of a later one.
class FakeFeeds final : public rules::v1::TableFeedService::CallbackService {
 public:
  struct Own {
    PlayerId player;
    std::string bytes;
  };
  // From now on the table is at `revision`, with some bytes that hold it, and parts of players.
  void Show(TableId table, int revision, const std::vector<Own>& owns = {});
  void ShowBytes(TableId table, int revision, const std::string& shared);
  void End(TableId table, const absl::Status& status);
  // Ends every feed.
  void Drop();

  // Tables that the gateway wants.
  std::size_t wanted();
  std::atomic<int> opened = 0;
  // Gives no sign of life; else one when a feed opens, and for each of the gateway's.
  std::atomic<bool> mute = false;

  rpc::BidiCall<rules::v1::WatchTablesRequest, rules::v1::WatchTablesResponse>* WatchTables(
      grpc::CallbackServerContext* context) override;
  FakeMoves::Call* SubmitActions(grpc::CallbackServerContext*) override { return moves.Open(); }
  FakeMoves moves;

 private:
  class Feed;
  void Send(const rules::v1::TableFrame& frame);

  std::mutex mutex_;
  prometheus::Registry registry_;
  rpc::CallMetrics calls_{rpc::Side::kServer, registry_};
  std::map<std::string, rules::v1::TableFrame> frames_;  // The newest, by table.
  std::set<std::shared_ptr<Feed>> feeds_;
};

// Who there is; silent until it is told.
class FakeNodes final : public rules::v1::NodeService::CallbackService {
 public:
  void Tell(const std::vector<std::string>& addresses);

  rpc::WriteCall<rules::v1::WatchNodesResponse>* WatchNodes(
      grpc::CallbackServerContext* context, const rules::v1::WatchNodesRequest* request) override;

 private:
  using Stream = rpc::WatchStream<rules::v1::WatchNodesResponse>;

  prometheus::Registry registry_;
  rpc::CallMetrics calls_{rpc::Side::kServer, registry_};
  std::mutex mutex_;
  std::vector<std::shared_ptr<Stream>> streams_;
};

// One replica of rules on a port; it comes back at the same one.
struct FakeReplica {
  explicit FakeReplica(Clock& clock) : tables(clock) { Start(); }

  void Start();
  void Stop() { server.reset(); }
  std::string address() const;

  FakeTables tables;
  FakeFeeds feeds;
  FakeNodes nodes;
  rules::v1::TableAdminService::CallbackService admin;  // There, but not for players.
  std::unique_ptr<rpc::Server> server;
  int port = 0;
};

// Everything, with one clock that only the test moves.
class World {
 public:
  // `change` sees the options before the gateway starts.
  explicit World(const std::function<void(Options&)>& change = [](Options&) {});
  ~World();

  // Another one with the same options.
  absl::StatusOr<std::unique_ptr<rpc::Service>> StartGateway(const std::string& listen_address);

  // A token of a new guest.
  std::string SignIn(const std::string& name = "Anna");
  absl::Status GetTable(const std::string& token, const std::string& name = "tables/1",
                        absl::Duration timeout = absl::Seconds(10));
  void WriteGatewayKeys(const std::string& lines);

  // The value of a counter or gauge of the gateway; `label` is a value that one of its labels has.
  double Metric(const std::string& name, const std::string& label = "");

  // Waits, while the gateway's clock goes on, until `condition` holds; false after ten seconds.
  bool Eventually(const std::function<bool()>& condition);

  testkit::ManualTime time;
  FakeReplica rules{time};
  FakeTables& tables = rules.tables;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::SessionService::Stub> sessions;
  std::unique_ptr<rules::v1::TableService::Stub> stub;
  std::unique_ptr<rpc::Service> gateway;

 private:
  std::string directory_;
  Options options_;
  SeededEntropy entropy_{1};
  std::shared_ptr<prometheus::Registry> registry_ = std::make_shared<prometheus::Registry>();
};

void AddToken(grpc::ClientContext& context, const std::string& token);

// Waits, in real time, until `condition` holds; false after ten seconds.
bool Eventually(const std::function<bool()>& condition);

// Keys for tests: "kid:base64", from a letter.
std::string TestKey(const std::string& kid, char letter);

}  // namespace tarot::gateway_service
