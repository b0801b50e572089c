// The gateway on a real port, with fake services that the test controls.
#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
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
#include "tarot/bot/v1/analysis_service.grpc.pb.h"
#include "tarot/gateway/v1/session_service.grpc.pb.h"
#include "tarot/ratings/v1/account_admin_service.grpc.pb.h"
#include "tarot/ratings/v1/player_admin_service.grpc.pb.h"
#include "tarot/rules/v1/node_service.grpc.pb.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"
#include "tarot/rules/v1/table_feed_service.grpc.pb.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::gateway_service {

namespace v1 = ::tarot::gateway::v1;

// The data of a call that a fake service has received.
struct Seen {
  rpc::Caller caller;
  std::multimap<std::string, std::string> metadata;
  absl::Duration deadline;  // The time from the call's arrival to its deadline.
};

// A fake TableService.
class FakeTables final : public rules::v1::TableService::CallbackService {
 public:
  explicit FakeTables(Clock& clock);

  std::function<grpc::Status()> on_get = [] { return grpc::Status::OK; };
  // GetTable of this table gets no answer, and ends when its caller cancels it. Set this name
  // before the call.
  std::string never = "tables/never";

  // ListTables with this page token gets no answer, and ends when its caller cancels it. All other
  // calls of ListTables end with UNIMPLEMENTED.
  static constexpr char kNeverToken[] = "never";

  Seen last_seen();
  std::atomic<int> waiting_lists = 0;  // Calls with kNeverToken so far.
  std::atomic<int> cancelled_lists = 0;
  std::atomic<int> gets = 0;
  std::atomic<int> cancelled_gets = 0;

  // The answer names the table of the request.
  grpc::ServerUnaryReactor* GetTable(grpc::CallbackServerContext* context,
                                     const rules::v1::GetTableRequest* request,
                                     rules::v1::GetTableResponse* response) override;
  grpc::ServerUnaryReactor* ListTables(grpc::CallbackServerContext* context,
                                       const rules::v1::ListTablesRequest* request,
                                       rules::v1::ListTablesResponse* response) override;

 private:
  absl::Status Note(const grpc::CallbackServerContext& context);

  Clock& clock_;
  rpc::Authenticator authenticator_;
  std::mutex mutex_;
  Seen seen_;
};

// A fake AnalysisService. An analysis gets no answer, and ends when its caller cancels it.
class FakeAnalyses final : public bot::v1::AnalysisService::CallbackService {
 public:
  std::atomic<int> waiting = 0;  // Analyses so far.

  grpc::ServerWriteReactor<bot::v1::AnalyzeDealResponse>* AnalyzeDeal(
      grpc::CallbackServerContext* context, const bot::v1::AnalyzeDealRequest* request) override;
};

// A fake TableFeedService. Each table is at revision 0 until Show() sets another one.
class FakeFeeds final : public rules::v1::TableFeedService::CallbackService {
 public:
  struct Own {
    PlayerId player;
    std::string bytes;
  };
  // Moves the table to `revision`. Element i of `owns` is the part of the view that only the player
  // in seat i may see.
  void Show(TableId table, int revision, const std::vector<Own>& owns = {});
  void ShowBytes(TableId table, int revision, const std::string& shared);
  // Tells the gateway which players watch the table, at any gateway. Repeats this after each later
  // report of the gateway.
  void ShowConnected(TableId table, const std::vector<PlayerId>& players);
  // Returns the number of players in the gateway's last report about the table, or -1 before the
  // first report.
  int present(TableId table);
  void End(TableId table, const absl::Status& status);
  // Ends every feed.
  void Drop();

  // Returns the number of tables that the gateway subscribes to.
  std::size_t wanted();
  std::atomic<int> opened = 0;
  // If true, the feeds send no empty messages. Otherwise each feed sends one at its start and after
  // each request.
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
  std::map<std::string, rules::v1::TableFrame> frames_;  // The newest frame of each table.
  std::map<std::string, int> present_;                   // See present().
  // The frame of the last ShowConnected() of each table.
  std::map<std::string, rules::v1::TableFrame> connected_;
  std::set<std::shared_ptr<Feed>> feeds_;
};

// A fake NodeService. It sends nothing until the test calls Tell().
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

// A fake PlayerAdminService of ratings.
class FakePlayerAdmin final : public ratings::v1::PlayerAdminService::CallbackService {
 public:
  // If true, every call fails as if the ratings service did not answer.
  std::atomic<bool> away = false;

  void SetRankedNames(const std::vector<std::string>& names);
  std::vector<std::string> subjects();  // The subjects of all revocations so far.
  // Bans the player until `end_time`, with `message`. An end time in the past ends the ban.
  void Ban(const std::string& player, absl::Time end_time, const std::string& message);
  // Changes the limits. Before the first call, the answers have no limits, as in older releases.
  void SetLimits(const std::map<std::string, double>& limits);

  grpc::ServerUnaryReactor* RevokeTokens(grpc::CallbackServerContext* context,
                                         const ratings::v1::RevokeTokensRequest* request,
                                         ratings::v1::RevokeTokensResponse* response) override;
  grpc::ServerUnaryReactor* GetRevocations(grpc::CallbackServerContext* context,
                                           const ratings::v1::GetRevocationsRequest* request,
                                           ratings::v1::GetRevocationsResponse* response) override;
  grpc::ServerUnaryReactor* ListRankedNames(
      grpc::CallbackServerContext* context, const ratings::v1::ListRankedNamesRequest* request,
      ratings::v1::ListRankedNamesResponse* response) override;

 private:
  std::mutex mutex_;
  std::vector<std::string> ranked_names_;
  // The sequence number of a revocation is its index plus one.
  std::vector<ratings::v1::Revocation> stored_;
  std::optional<std::map<std::string, double>> limits_;
};

// A fake AccountAdminService of ratings. It stores passphrases as plain text and compares them.
class FakeAccountAdmin final : public ratings::v1::AccountAdminService::CallbackService {
 public:
  grpc::ServerUnaryReactor* GetAccount(grpc::CallbackServerContext* context,
                                       const ratings::v1::GetAccountRequest* request,
                                       ratings::v1::GetAccountResponse* response) override;
  grpc::ServerUnaryReactor* CreateAccount(grpc::CallbackServerContext* context,
                                          const ratings::v1::CreateAccountRequest* request,
                                          ratings::v1::CreateAccountResponse* response) override;
  grpc::ServerUnaryReactor* CheckPassphrase(
      grpc::CallbackServerContext* context, const ratings::v1::CheckPassphraseRequest* request,
      ratings::v1::CheckPassphraseResponse* response) override;
  grpc::ServerUnaryReactor* RecoverAccount(grpc::CallbackServerContext* context,
                                           const ratings::v1::RecoverAccountRequest* request,
                                           ratings::v1::RecoverAccountResponse* response) override;
  grpc::ServerUnaryReactor* ListAccountNames(
      grpc::CallbackServerContext* context, const ratings::v1::ListAccountNamesRequest* request,
      ratings::v1::ListAccountNamesResponse* response) override;

 private:
  std::mutex mutex_;
  std::map<std::string, ratings::v1::CreateAccountRequest> accounts_;  // By login key.
};

// A replica of rules on a port, which also serves the fake services of ratings and bots. After
// Stop(), Start() uses the same port again.
struct FakeReplica {
  explicit FakeReplica(Clock& clock) : tables(clock) { Start(); }

  void Start();
  void Stop() { server.reset(); }
  std::string address() const;

  FakeTables tables;
  FakeFeeds feeds;
  FakeNodes nodes;
  FakePlayerAdmin player_admin;
  FakeAccountAdmin account_admin;
  FakeAnalyses analyses;
  rules::v1::TableAdminService::CallbackService admin;  // Players must not reach this service.
  std::unique_ptr<rpc::Server> server;
  int port = 0;
};

// A gateway with one fake replica of rules, and a clock that only the test moves.
class GatewayFixture {
 public:
  // `change` may change the options before the gateway starts.
  explicit GatewayFixture(const std::function<void(Options&)>& change = [](Options&) {});
  ~GatewayFixture();

  // Starts another gateway with the same options.
  absl::StatusOr<std::unique_ptr<rpc::Service>> StartGateway(const std::string& listen_address);

  // Returns the token of a new guest.
  std::string SignIn(const std::string& name = "Anna");
  absl::Status GetTable(const std::string& token, const std::string& name = "tables/1",
                        absl::Duration timeout = absl::Seconds(10));
  void WriteGatewayKeys(const std::string& lines);

  // Returns the value of a counter or gauge of the gateway, or -1 if there is none. The metric must
  // have a label with the value `label`. If `label` is empty, returns the first metric of this
  // name.
  double Metric(const std::string& name, const std::string& label = "");

  // Moves the clock until `condition` holds. Returns false if it does not hold within ten seconds
  // of real time.
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
  OsEntropy entropy_;  // gRPC's threads also use this registry.
  std::shared_ptr<prometheus::Registry> registry_ = std::make_shared<prometheus::Registry>();
};

void AddToken(grpc::ClientContext& context, const std::string& token);

// Waits until `condition` holds. Returns false if it does not hold within ten seconds of real time.
bool Eventually(const std::function<bool()>& condition);

// Returns a line of a key file, "kid:base64". The secret is one letter, repeated.
std::string TestKey(const std::string& kid, char letter);

}  // namespace tarot::gateway_service
