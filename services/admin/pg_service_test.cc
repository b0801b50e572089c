// Tests the whole service over gRPC with a real Postgres and fakes of the other services.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <mutex>
#include <pqxx/pqxx>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/base/cell.h"
#include "libs/base/clock.h"
#include "libs/base/error.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/rpc/server.h"
#include "libs/status/wire.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"
#include "services/admin/service.h"
#include "tarot/admin/v1/admin_service.grpc.pb.h"
#include "tarot/matchmaking/v1/matchmaking_admin_service.grpc.pb.h"
#include "tarot/ratings/v1/ladder_admin_service.grpc.pb.h"
#include "tarot/ratings/v1/player_admin_service.grpc.pb.h"
#include "tarot/ratings/v1/rating_service.grpc.pb.h"
#include "tarot/rules/v1/node_service.grpc.pb.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"

namespace tarot::admin_service {
namespace {

namespace mv = ::tarot::matchmaking::v1;
namespace rv = ::tarot::rules::v1;
namespace tv = ::tarot::ratings::v1;
namespace v1 = ::tarot::admin::v1;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;
using testkit::HasReason;
using testkit::IsOk;

constexpr char kAnna[] = "players/00000000-0000-4000-8000-000000000001";
constexpr char kBea[] = "players/00000000-0000-4000-8000-000000000002";

std::string KeyFile(const std::string& name, const std::vector<std::string>& ids) {
  const std::string path = testing::TempDir() + "/admin_" + name;
  std::ofstream out(path);
  for (const std::string& id : ids) {
    out << id << ":" << absl::Base64Escape(std::string(32, (name + id)[0])) << "\n";
  }
  out.close();
  ::chmod(path.c_str(), 0600);
  return path;
}

// The calls that the fake services of this file have got, in order.
class Journal {
 public:
  grpc::ServerUnaryReactor* Note(grpc::CallbackServerContext* context, const std::string& call,
                                 const absl::Status& status = absl::OkStatus()) {
    {
      const std::lock_guard lock(mutex_);
      calls_.push_back(call);
    }
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(status::ToGrpc(status));
    return reactor;
  }
  std::vector<std::string> Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(calls_, {});
  }
  bool empty() {
    const std::lock_guard lock(mutex_);
    return calls_.empty();
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> calls_;
};

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

struct FakeMatchmaking final : mv::MatchmakingAdminService::CallbackService {
  explicit FakeMatchmaking(Journal& j) : journal(j) {}
  Reactor* SetQueueOpen(Context* context, const mv::SetQueueOpenRequest* request,
                        mv::SetQueueOpenResponse* response) override {
    if (request->name() != "queues/ranked4") {
      return journal.Note(
          context, "SetQueueOpen",
          Error(absl::StatusCode::kNotFound, "QUEUE_NOT_FOUND", "There is no such queue."));
    }
    response->set_cancelled_count(3);
    return journal.Note(context, request->open() ? "open" : "close");
  }
  Reactor* WithdrawTickets(Context* context, const mv::WithdrawTicketsRequest* request,
                           mv::WithdrawTicketsResponse* response) override {
    response->set_cancelled_count(1);
    return journal.Note(context, absl::StrCat("withdraw ", request->player()));
  }
  Reactor* DeletePlayer(Context* context, const mv::DeletePlayerRequest*,
                        mv::DeletePlayerResponse*) override {
    return journal.Note(context, "matchmaking delete");
  }
  Reactor* ExportPlayer(Context* context, const mv::ExportPlayerRequest*,
                        mv::ExportPlayerResponse* response) override {
    response->set_json("{\"m\": 1}");
    return journal.Note(context, "export");
  }
  Journal& journal;
};

struct FakePlayers final : tv::PlayerAdminService::CallbackService {
  explicit FakePlayers(Journal& j) : journal(j) {}
  Reactor* BanPlayer(Context* context, const tv::BanPlayerRequest* request,
                     tv::BanPlayerResponse*) override {
    return journal.Note(
        context, absl::StrCat("ban ", request->player(), " until ", request->end_time().seconds()));
  }
  Reactor* RevokeTokens(Context* context, const tv::RevokeTokensRequest*,
                        tv::RevokeTokensResponse*) override {
    return journal.Note(context, "revoke");
  }
  Reactor* DeletePlayer(Context* context, const tv::DeletePlayerRequest*,
                        tv::DeletePlayerResponse*) override {
    return journal.Note(context, "ratings delete");
  }
  Reactor* ExportPlayer(Context* context, const tv::ExportPlayerRequest*,
                        tv::ExportPlayerResponse* response) override {
    response->set_json("{\"t\": 1}");
    return journal.Note(context, "export");
  }
  Journal& journal;
};

struct FakeLadders final : tv::LadderAdminService::CallbackService {
  explicit FakeLadders(Journal& j) : journal(j) {}
  Reactor* VoidPlayer(Context* context, const tv::VoidPlayerRequest* request,
                      tv::VoidPlayerResponse* response) override {
    response->set_match_count(2);
    return journal.Note(context, absl::StrCat("void ", request->player(), " by ",
                                              request->operator_(), ": ", request->reason()));
  }
  Journal& journal;
};

struct FakeRatings final : tv::RatingService::CallbackService {
  Reactor* SearchPlayers(Context* context, const tv::SearchPlayersRequest* request,
                         tv::SearchPlayersResponse* response) override {
    for (const auto& [player, name] : std::vector<std::pair<std::string, std::string>>{
             {kAnna, "Anna"}, {kBea, "Bea"}, {kBea, "Twin"}, {kAnna, "Twin"}}) {
      if (name.substr(0, request->query().size()) != request->query()) continue;
      tv::Rating* const rating = response->add_ratings();
      rating->set_player(player);
      rating->set_display_name(name);
    }
    Reactor* const reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
};

struct FakeTables final : rv::TableAdminService::CallbackService {
  explicit FakeTables(Journal& j) : journal(j) {}
  Reactor* DeletePlayer(Context* context, const rv::DeletePlayerRequest*,
                        rv::DeletePlayerResponse* response) override {
    response->set_seat_count(4);
    if (!busy) return journal.Note(context, "rules delete");
    return journal.Note(
        context, "busy",
        Error(absl::StatusCode::kFailedPrecondition, "PLAYER_BUSY", "The player plays."));
  }
  Reactor* ExportPlayer(Context* context, const rv::ExportPlayerRequest*,
                        rv::ExportPlayerResponse* response) override {
    response->set_json("{\"r\": 1}");
    return journal.Note(context, "export");
  }
  Reactor* EndMatch(Context* context, const rv::EndMatchRequest*, rv::EndMatchResponse*) override {
    return journal.Note(context, absl::StrCat("end in cell ", cell));
  }
  bool busy = false;
  int cell = 0;
  Journal& journal;
};

// A fake NodeService. Its list of replicas has the addresses in `listed`.
struct FakeNodes final : rv::NodeService::Service {
  grpc::Status WatchNodes(grpc::ServerContext*, const rv::WatchNodesRequest*,
                          grpc::ServerWriter<rv::WatchNodesResponse>* writer) override {
    if (before_list) before_list();
    rv::WatchNodesResponse list;
    for (const std::string& address : listed) list.add_nodes()->set_address(address);
    writer->Write(list);
    return grpc::Status::OK;
  }
  grpc::Status SetDraining(grpc::ServerContext*, const rv::SetDrainingRequest* request,
                           rv::SetDrainingResponse* response) override {
    draining = request->draining();
    response->set_table_count(5);
    return grpc::Status::OK;
  }
  std::vector<std::string> listed;
  bool draining = false;
  std::function<void()> before_list;
};

class PgAdminServiceTest : public testing::Test {
 protected:
  PgAdminServiceTest() {
    upstream_ = *rpc::Server::Start(
        {}, {&matchmaking_, &players_, &ladders_, &ratings_, &tables_, &nodes_});
    upstream_address_ = absl::StrCat("127.0.0.1:", upstream_->port());
    options_ = {.listen_address = "127.0.0.1:0",
                .operator_key_file = KeyFile("operators", {"ada", "bea"}),
                .internal_key_file = KeyFile("internal", {"k1"}),
                .dsn = testkit::PgCluster::Shared().NewDatabase(),
                .rules_address = upstream_address_,
                .matchmaking_address = upstream_address_,
                .ratings_address = upstream_address_};
    EXPECT_THAT(MigrateSchema(options_), IsOk());
    Start();
  }

  void Start() {
    auto started =
        StartService(options_, {time_, time_, entropy_, std::make_shared<prometheus::Registry>()});
    EXPECT_THAT(started, IsOk());
    service_ = *std::move(started);
    stub_ =
        v1::AdminService::NewStub(rpc::MakeChannel(absl::StrCat("127.0.0.1:", service_->port())));
  }

  // Calls `method` with the key of the file `keys`.
  template <typename Response, typename Request>
  absl::StatusOr<Response> Call(grpc::Status (v1::AdminService::Stub::*method)(grpc::ClientContext*,
                                                                               const Request&,
                                                                               Response*),
                                Request request, const std::string& keys = "ada",
                                const std::string& why = "a test") {
    request.set_why(why);
    grpc::ClientContext context;
    rpc::SetTimeout(context, absl::Seconds(20));
    if (!keys.empty()) {
      const std::string file = keys == "internal" ? options_.internal_key_file
                               : keys == "forged" ? KeyFile("forged", {"ada"})
                                                  : KeyFile("only_" + keys, {keys});
      rpc::Authenticator(*rpc::KeyRing::FromFile(file), time_)
          .Sign(context, {.service = "operator"});
    }
    Response response;
    const absl::Status status =
        status::FromGrpc((stub_.get()->*method)(&context, request, &response));
    if (!status.ok()) return status;
    return response;
  }

  // Like Call, but the clock moves as soon as the call has reached another service. BanPlayer and
  // DeletePlayer wait on this clock until the gateways know the change.
  template <typename Request, typename Response>
  absl::StatusOr<Response> CallOverTime(grpc::Status (v1::AdminService::Stub::*method)(
                                            grpc::ClientContext*, const Request&, Response*),
                                        const Request& request) {
    std::atomic<bool> over = false;
    std::jthread time([&] {
      while (!over) {
        if (!journal_.empty()) time_.Advance(absl::Seconds(1));
        std::this_thread::yield();
      }
    });
    const absl::StatusOr<Response> response = Call(method, request);
    over = true;
    return response;
  }

  absl::StatusOr<v1::SetQueueOpenResponse> CloseQueue(const std::string& queue,
                                                      const std::string& keys = "ada",
                                                      const std::string& why = "a test") {
    v1::SetQueueOpenRequest request;
    request.set_name(queue);
    return Call(&v1::AdminService::Stub::SetQueueOpen, request, keys, why);
  }

  // Returns the stored calls except ListCalls, oldest first, each as "operator method subject: why
  // -> outcome".
  std::vector<std::string> Audit() {
    const auto listed = Call(&v1::AdminService::Stub::ListCalls, v1::ListCallsRequest());
    EXPECT_THAT(listed, IsOk());
    std::vector<std::string> calls;
    for (const v1::Call& call : listed->calls()) {
      if (call.method() == "ListCalls") continue;
      calls.insert(calls.begin(),
                   absl::StrCat(call.operator_(), " ", call.method(), " ", call.subject(), ": ",
                                call.why(), " -> ", call.outcome()));
    }
    return calls;
  }

  testkit::ManualTime time_;
  SeededEntropy entropy_{1};
  Journal journal_;
  FakeMatchmaking matchmaking_{journal_};
  FakePlayers players_{journal_};
  FakeLadders ladders_{journal_};
  FakeRatings ratings_;
  FakeTables tables_{journal_};
  FakeNodes nodes_;
  std::unique_ptr<rpc::Server> upstream_;
  std::string upstream_address_;
  Options options_;
  std::unique_ptr<rpc::Service> service_;
  std::unique_ptr<v1::AdminService::Stub> stub_;
};

TEST(MigrateOnlyTest, BringsTheSchemaUpToDateWithoutKeys) {
  const Options options = {.dsn = testkit::PgCluster::Shared().NewDatabase()};
  for (int run = 0; run < 2; ++run) EXPECT_THAT(MigrateSchema(options), IsOk());
  pqxx::connection connection(options.dsn);
  pqxx::work tx(connection);
  EXPECT_GT(tx.exec1("SELECT count(*) FROM admin.migrations")[0].as<int>(), 0);
}

TEST_F(PgAdminServiceTest, StoresWhoCallsWhyAndTheOutcome) {
  EXPECT_EQ(CloseQueue("queues/ranked4", "ada", "the database is moved")->cancelled_count(), 3u);
  EXPECT_THAT(CloseQueue("queues/none", "bea").status(), HasReason("QUEUE_NOT_FOUND"));
  EXPECT_THAT(Audit(), ElementsAre("ada SetQueueOpen queues/ranked4: the database is moved -> OK",
                                   "bea SetQueueOpen queues/none: a test -> QUEUE_NOT_FOUND"));
  EXPECT_THAT(journal_.Take(), ElementsAre("close", "SetQueueOpen"));
}

TEST_F(PgAdminServiceTest, RefusesAllTokensButThoseOfOperators) {
  for (const std::string keys : {"", "internal", "forged"}) {
    EXPECT_THAT(CloseQueue("queues/ranked4", keys).status(), HasReason("BAD_TOKEN")) << keys;
  }
  EXPECT_THAT(CloseQueue("queues/ranked4", "ada", "").status(), HasReason("BAD_REQUEST"));
  EXPECT_THAT(journal_.Take(), IsEmpty()) << "nothing has happened";
  EXPECT_THAT(Audit(), IsEmpty());
}

TEST_F(PgAdminServiceTest, ABanRefusesTheTokensBeforeItWithdrawsTheTickets) {
  v1::BanPlayerRequest request;
  request.set_player(kAnna);
  request.mutable_end_time()->set_seconds(absl::ToUnixSeconds(time_.Now()));
  EXPECT_THAT(Call(&v1::AdminService::Stub::BanPlayer, request).status(), HasReason("BAD_REQUEST"));
  EXPECT_THAT(journal_.Take(), IsEmpty());
  const std::int64_t end = absl::ToUnixSeconds(time_.Now()) + 3'600;
  request.mutable_end_time()->set_seconds(end);
  const auto banned = CallOverTime(&v1::AdminService::Stub::BanPlayer, request);
  ASSERT_THAT(banned, IsOk());
  EXPECT_EQ(banned->cancelled_count(), 2u);
  EXPECT_THAT(journal_.Take(),
              ElementsAre(absl::StrCat("ban ", kAnna, " until ", end),
                          absl::StrCat("withdraw ", kAnna), absl::StrCat("withdraw ", kAnna)));
  v1::UnbanPlayerRequest unban;
  unban.set_player(kAnna);
  ASSERT_THAT(Call(&v1::AdminService::Stub::UnbanPlayer, unban), IsOk());
  EXPECT_THAT(journal_.Take(), ElementsAre(absl::StrCat("ban ", kAnna, " until ",
                                                        absl::ToUnixSeconds(time_.Now()))));
}

TEST_F(PgAdminServiceTest, DrainsOnlyReplicasThatItKnows) {
  v1::SetReplicaDrainingRequest request;
  request.set_address(upstream_address_);
  request.set_draining(true);
  const auto drain = [&] { return Call(&v1::AdminService::Stub::SetReplicaDraining, request); };
  EXPECT_THAT(drain().status(), HasReason("REPLICA_NOT_FOUND"));
  EXPECT_FALSE(nodes_.draining);
  nodes_.listed = {upstream_address_, "10.0.0.1:7101"};
  EXPECT_EQ(drain()->table_count(), 5u);
  EXPECT_TRUE(nodes_.draining);
  // The drained replica is not on the list any more, but its drain can still be ended.
  nodes_.listed = {"10.0.0.1:7101"};
  request.set_draining(false);
  EXPECT_THAT(drain(), IsOk());
  EXPECT_FALSE(nodes_.draining);
  EXPECT_EQ(
      Call(&v1::AdminService::Stub::ListReplicas, v1::ListReplicasRequest())->addresses_size(), 1);
}

TEST_F(PgAdminServiceTest, DeletesAPlayerInTheOrderThatBeginsNoMatch) {
  v1::DeletePlayerRequest request;
  request.set_player(kAnna);
  const auto remove = [&] { return CallOverTime(&v1::AdminService::Stub::DeletePlayer, request); };
  tables_.busy = true;
  EXPECT_THAT(remove().status(), HasReason("PLAYER_BUSY"));
  EXPECT_THAT(journal_.Take(), ElementsAre("revoke", absl::StrCat("withdraw ", kAnna), "busy"));
  tables_.busy = false;
  EXPECT_EQ(remove()->seat_count(), 4u);
  EXPECT_THAT(journal_.Take(), ElementsAre("revoke", absl::StrCat("withdraw ", kAnna),
                                           "rules delete", "matchmaking delete", "ratings delete"));
  v1::ExportPlayerRequest export_request;
  export_request.set_player(kAnna);
  EXPECT_EQ(Call(&v1::AdminService::Stub::ExportPlayer, export_request)->json(),
            R"({"rules": {"r": 1}, "matchmaking": {"m": 1}, "ratings": {"t": 1}})");
}

TEST_F(PgAdminServiceTest, JudgesAFlagOnceAndVoidsTheMatchesOfBothPlayers) {
  v1::AddCollusionFlagsRequest add;
  v1::CollusionFlag& flag = *add.add_flags();
  flag.add_players("Anna");
  flag.add_players("Twin");
  flag.set_z(6.5);
  flag.set_deal_count(40);
  flag.add_evidence("tables/1/deals/2");
  EXPECT_THAT(Call(&v1::AdminService::Stub::AddCollusionFlags, add).status(),
              HasReason("PLAYER_NOT_FOUND"))
      << "two players have this name";
  flag.set_players(1, "Bea");
  EXPECT_EQ(Call(&v1::AdminService::Stub::AddCollusionFlags, add)->added_count(), 1u);
  EXPECT_EQ(Call(&v1::AdminService::Stub::AddCollusionFlags, add)->added_count(), 0u);
  v1::ListCollusionFlagsRequest list;
  list.set_open(true);
  const auto open = Call(&v1::AdminService::Stub::ListCollusionFlags, list);
  ASSERT_EQ(open->flags_size(), 1);
  EXPECT_THAT(open->flags(0).players(), ElementsAre(kAnna, kBea));
  EXPECT_THAT(open->flags(0).evidence(), ElementsAre("tables/1/deals/2"));

  v1::JudgeCollusionFlagRequest judge;
  judge.set_name(open->flags(0).name());
  judge.set_verdict(v1::CollusionFlag::COLLUSION);
  const auto verdict = [&] {
    return Call(&v1::AdminService::Stub::JudgeCollusionFlag, judge, "bea", "the deals show it");
  };
  EXPECT_THAT(verdict().status(), HasReason("BAD_REQUEST")) << "no time";
  judge.mutable_since_time()->set_seconds(1'700'000'000);
  EXPECT_EQ(verdict()->match_count(), 4u);
  EXPECT_THAT(journal_.Take(),
              ElementsAre(absl::StrCat("void ", kAnna, " by bea: the deals show it"),
                          absl::StrCat("void ", kBea, " by bea: the deals show it")));
  EXPECT_THAT(verdict().status(), HasReason("ALREADY_JUDGED"));
  judge.set_name("flags/999");
  EXPECT_THAT(verdict().status(), HasReason("FLAG_NOT_FOUND"));
  EXPECT_EQ(Call(&v1::AdminService::Stub::ListCollusionFlags, list)->flags_size(), 0);
  const auto listed = Call(&v1::AdminService::Stub::ListCalls, v1::ListCallsRequest());
  ASSERT_THAT(listed, IsOk());
  for (const v1::Call& call : listed->calls()) {
    EXPECT_THAT(call.details(), Not(HasSubstr("Anna"))) << "no name is stored";
  }
}

// The platform has the cells 0 and 3.
class PgAdminCellsTest : public PgAdminServiceTest {
 protected:
  PgAdminCellsTest() {
    tables_of_three_.cell = 3;
    three_ = *rpc::Server::Start({}, {&tables_of_three_, &nodes_of_three_});
    address_of_three_ = absl::StrCat("127.0.0.1:", three_->port());
    nodes_.listed = {upstream_address_};
    nodes_of_three_.listed = {address_of_three_};
    service_->Shutdown();
    options_.rules_address = absl::StrCat("0=", upstream_address_, ";3=", address_of_three_);
    Start();
  }

  auto List() { return Call(&v1::AdminService::Stub::ListReplicas, v1::ListReplicasRequest()); }

  FakeTables tables_of_three_{journal_};
  FakeNodes nodes_of_three_;
  std::unique_ptr<rpc::Server> three_;
  std::string address_of_three_;
};

TEST_F(PgAdminCellsTest, ListsTheReplicasOfAllCellsAndNamesTheSilentOnes) {
  const auto all = List();
  ASSERT_THAT(all, IsOk());
  EXPECT_THAT(all->addresses(), ElementsAre(upstream_address_, address_of_three_));
  EXPECT_THAT(all->cells(), ElementsAre(0u, 3u));
  EXPECT_THAT(all->silent_cells(), IsEmpty());
  three_->Shutdown();
  const auto rest = List();
  ASSERT_THAT(rest, IsOk());
  EXPECT_THAT(rest->addresses(), ElementsAre(upstream_address_));
  EXPECT_THAT(rest->silent_cells(), ElementsAre(3u));
}

// Each cell answers only when the other cell has been asked, too.
TEST_F(PgAdminCellsTest, AsksAllCellsForTheirReplicasAtTheSameTime) {
  std::atomic<int> asked = 0;
  std::atomic<int> together = 0;
  nodes_.before_list = nodes_of_three_.before_list = [&] {
    ++asked;
    const Stopwatch watch;
    while (asked < 2 && watch.Elapsed() < absl::Seconds(10)) std::this_thread::yield();
    if (asked == 2) ++together;
  };
  EXPECT_THAT(List(), IsOk());
  EXPECT_EQ(together, 2);
}

TEST_F(PgAdminCellsTest, DrainsTheReplicasOfACellWhileAnotherCellIsAway) {
  v1::SetReplicaDrainingRequest request;
  request.set_address(address_of_three_);
  request.set_draining(true);
  EXPECT_EQ(Call(&v1::AdminService::Stub::SetReplicaDraining, request)->table_count(), 5u);
  EXPECT_TRUE(nodes_of_three_.draining);
  EXPECT_FALSE(nodes_.draining);
  three_->Shutdown();
  request.set_address(upstream_address_);
  EXPECT_THAT(Call(&v1::AdminService::Stub::SetReplicaDraining, request), IsOk());
  EXPECT_TRUE(nodes_.draining);
  request.set_address("10.0.0.1:7101");
  EXPECT_THAT(Call(&v1::AdminService::Stub::SetReplicaDraining, request), HasReason("SERVICE_AWAY"))
      << "the replica may belong to cell 3";
}

TEST_F(PgAdminCellsTest, CallsTheCellOfTheTable) {
  v1::EndMatchRequest request;
  for (const int cell : {3, 0}) {
    request.set_name("tables/" + NewTableUuid(entropy_, time_.Now(), cell).ToString());
    EXPECT_THAT(Call(&v1::AdminService::Stub::EndMatch, request), IsOk());
  }
  request.set_name("tables/" + NewTableUuid(entropy_, time_.Now(), 200).ToString());
  EXPECT_THAT(Call(&v1::AdminService::Stub::EndMatch, request), IsOk());
  EXPECT_THAT(journal_.Take(), ElementsAre("end in cell 3", "end in cell 0", "end in cell 0"));
}

// After the error, the operator calls again. Each step may be repeated.
TEST_F(PgAdminCellsTest, ACellThatFailsKeepsNoNameInTheOtherCells) {
  v1::DeletePlayerRequest request;
  request.set_player(kAnna);
  const auto remove = [&] { return CallOverTime(&v1::AdminService::Stub::DeletePlayer, request); };
  const std::string withdraw = absl::StrCat("withdraw ", kAnna);
  tables_.busy = true;
  EXPECT_THAT(remove(), HasReason("PLAYER_BUSY"));
  EXPECT_THAT(journal_.Take(), UnorderedElementsAre("revoke", withdraw, "busy", "rules delete"));
  tables_.busy = false;
  EXPECT_EQ(remove()->seat_count(), 8u);
  EXPECT_THAT(journal_.Take(), ElementsAre("revoke", withdraw, "rules delete", "rules delete",
                                           "matchmaking delete", "ratings delete"));
}

TEST_F(PgAdminCellsTest, ExportsTheDataOfAllCellsOrFails) {
  v1::ExportPlayerRequest request;
  request.set_player(kAnna);
  EXPECT_EQ(
      Call(&v1::AdminService::Stub::ExportPlayer, request)->json(),
      R"({"rules": {"r": 1}, "rules_3": {"r": 1}, "matchmaking": {"m": 1}, "ratings": {"t": 1}})");
  three_->Shutdown();
  EXPECT_THAT(Call(&v1::AdminService::Stub::ExportPlayer, request), HasReason("SERVICE_AWAY"));
}

}  // namespace
}  // namespace tarot::admin_service
