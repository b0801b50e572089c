// Tests two replicas of the whole service with one Postgres: each call must reach the host of its
// table.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "libs/base/cell.h"
#include "libs/base/key_file.h"
#include "libs/base/real_clock.h"
#include "libs/cluster/rendezvous.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/status/wire.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"
#include "services/rules/service.h"
#include "services/rules/storage/pg_table_store.h"
#include "services/rules/testing/random_match.h"
#include "services/rules/transport/convert.h"
#include "tarot/rules/v1/node_service.grpc.pb.h"
#include "tarot/rules/v1/record_service.grpc.pb.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"
#include "tarot/rules/v1/table_feed_service.grpc.pb.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::rules_service {
namespace {

namespace v1 = ::tarot::rules::v1;
using testkit::HasReason;
using testkit::IsOk;

constexpr char kKeys[] = "test:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n";

class PgReplicasTest : public testing::Test {
 protected:
  struct Running {
    std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();
    std::unique_ptr<rpc::Service> service;
    std::shared_ptr<grpc::Channel> channel;
    std::string address;
  };

  PgReplicasTest() {
    key_file_ = testing::TempDir() + "rules_replicas.keys";
    std::ofstream(key_file_) << kKeys;
    chmod(key_file_.c_str(), 0600);
    identity_.emplace(*rpc::KeyRing::FromFile(key_file_), clock_);
    EXPECT_THAT(MigrateSchema(OptionsOfReplica()), IsOk());
    for (Running& one : replicas_) one = Start();
    EXPECT_TRUE(SeesNodes(replicas_[0], 2) && SeesNodes(replicas_[1], 2));
    for (const Running& one : replicas_) addresses_.push_back(one.address);
  }

  Options OptionsOfReplica() const {
    return {.listen_address = "127.0.0.1:0",
            .internal_key_file = key_file_,
            .seed_key_file = key_file_,
            .dsn = dsn_,
            .worker_threads = 2,
            .deal_pause = absl::Hours(1),
            .archive_dir = archive_dir_};
  }

  // Starts a replica. Returns OK, or the error of the start.
  absl::Status TryToStart(const Options& options, Clock& clock) {
    return StartService(options,
                        {clock, scheduler_, entropy_, std::make_shared<prometheus::Registry>()})
        .status();
  }

  Running Start() {
    Running one;
    auto service = StartService(OptionsOfReplica(), {clock_, scheduler_, entropy_, one.registry});
    EXPECT_THAT(service.status(), IsOk());
    one.service = *std::move(service);
    one.address = absl::StrCat("127.0.0.1:", one.service->port());
    one.channel = rpc::MakeChannel(one.address);
    return one;
  }

  void Sign(grpc::ClientContext& context, const rpc::Caller& caller) {
    identity_->Sign(context, caller);
    rpc::SetTimeout(context, absl::Seconds(20));
  }

  // Waits until the list of replicas that `replica` sends has `count` replicas. If the stream ends
  // before that, returns false.
  bool SeesNodes(Running& replica, int count) {
    grpc::ClientContext context;
    Sign(context, {.service = "gateway"});
    const auto stub = v1::NodeService::NewStub(replica.channel);
    const auto stream = stub->WatchNodes(&context, {});
    v1::WatchNodesResponse nodes;
    bool seen = false;
    while (!seen && stream->Read(&nodes)) seen = nodes.nodes_size() == count;
    context.TryCancel();
    while (stream->Read(&nodes)) continue;
    (void)stream->Finish();
    return seen;
  }

  // Returns a name for a table whose host is the replica with the index `host`.
  std::string NewTable(std::size_t host) {
    Uuid id = entropy_.NewUuid();
    while (cluster::HostOf(id, addresses_) != addresses_[host]) id = entropy_.NewUuid();
    return absl::StrCat("tables/", id.ToString());
  }

  v1::CreateTableRequest Request(const std::string& name) const {
    v1::CreateTableRequest request;
    request.set_name(name);
    request.set_rule_set("fft");
    request.set_deal_count(1);
    request.mutable_clocks()->mutable_move_limit()->set_seconds(60);
    request.mutable_clocks()->mutable_time_bank()->set_seconds(60);
    for (const PlayerId player : players_) {
      v1::Seat* seat = request.add_seats();
      seat->set_player("players/" + player.ToString());
      seat->set_display_name("P");
    }
    return request;
  }

  absl::Status Create(Running& at, const std::string& name) {
    grpc::ClientContext context;
    Sign(context, {.service = "matchmaking"});
    v1::CreateTableResponse response;
    return status::FromGrpc(v1::TableAdminService::NewStub(at.channel)
                                ->CreateTable(&context, Request(name), &response));
  }

  // For each result, returns the error reason, or "OK" if the table exists.
  absl::StatusOr<std::vector<std::string>> CreateBatch(
      Running& at, const v1::BatchCreateTablesRequest& request) {
    grpc::ClientContext context;
    Sign(context, {.service = "matchmaking"});
    v1::BatchCreateTablesResponse response;
    const grpc::Status status =
        v1::TableAdminService::NewStub(at.channel)->BatchCreateTables(&context, request, &response);
    if (!status.ok()) return status::FromGrpc(status);
    std::vector<std::string> reasons;
    for (const google::rpc::Status& result : response.results()) {
      const absl::Status one = status::FromGrpc({static_cast<grpc::StatusCode>(result.code()),
                                                 result.message(), result.SerializeAsString()});
      reasons.push_back(one.ok() ? "OK" : GetErrorDetails(one).reason);
    }
    return reasons;
  }

  absl::StatusOr<v1::Table> Get(Running& at, const std::string& name) {
    v1::GetTableRequest request;
    request.set_name(name);
    grpc::ClientContext context;
    Sign(context, {.player = players_[2], .display_name = "P"});
    v1::GetTableResponse response;
    const grpc::Status status =
        v1::TableService::NewStub(at.channel)->GetTable(&context, request, &response);
    if (!status.ok()) return status::FromGrpc(status);
    return response.table();
  }

  absl::Status AddNonce(Running& at, const std::string& name, const std::string& request_id) {
    v1::AddNonceRequest request;
    request.set_name(name);
    request.set_deal_number(1);
    request.set_nonce("0123456789abcdef");
    request.set_request_id(request_id);
    grpc::ClientContext context;
    Sign(context, {.player = players_[2], .display_name = "P"});
    v1::AddNonceResponse response;
    return status::FromGrpc(
        v1::TableService::NewStub(at.channel)->AddNonce(&context, request, &response));
  }

  // Returns the value of tarot_rules_forwarded_calls_total{outcome="answered"}.
  double Forwarded(const Running& replica) {
    for (const auto& family : replica.registry->Collect()) {
      if (family.name != "tarot_rules_forwarded_calls_total") continue;
      for (const auto& metric : family.metric) {
        if (metric.label[0].value == "answered") return metric.counter.value;
      }
    }
    return -1;
  }

  RealClock clock_;
  RealScheduler scheduler_;
  OsEntropy entropy_;
  std::string key_file_;
  std::string archive_dir_;
  const std::string dsn_ = testkit::PgCluster::Shared().NewDatabase();
  std::optional<rpc::Authenticator> identity_;
  std::vector<PlayerId> players_{PlayerId{entropy_.NewUuid()}, PlayerId{entropy_.NewUuid()},
                                 PlayerId{entropy_.NewUuid()}, PlayerId{entropy_.NewUuid()}};
  std::array<Running, 2> replicas_;
  std::vector<std::string> addresses_;
};

TEST_F(PgReplicasTest, ForwardsCallsToTheHost) {
  const std::string table = NewTable(1);
  Running& other = replicas_[0];
  ASSERT_THAT(Create(other, table), IsOk());
  EXPECT_EQ(Forwarded(other), 1);
  const auto seen = Get(other, table);
  ASSERT_THAT(seen.status(), IsOk());
  EXPECT_EQ(seen->name(), table);
  EXPECT_EQ(seen->viewer(), 2u) << "the forwarded call keeps its caller";
  EXPECT_EQ(Forwarded(other), 2);
  EXPECT_EQ(Forwarded(replicas_[1]), 0) << "the host forwards nothing";
  const std::string request = entropy_.NewUuid().ToString();
  ASSERT_THAT(AddNonce(other, table, request), IsOk());
  ASSERT_THAT(AddNonce(replicas_[1], table, request), IsOk()) << "the host knows the request";
  EXPECT_EQ(Get(replicas_[1], table)->revision(), 1);
  EXPECT_THAT(AddNonce(other, table, entropy_.NewUuid().ToString()), HasReason("NONCE_REFUSED"))
      << "the caller gets errors of the host";
}

TEST_F(PgReplicasTest, MakesEachTableOfABatchAtItsHost) {
  v1::BatchCreateTablesRequest batch;
  for (std::size_t i = 0; i < 6; ++i) *batch.add_requests() = Request(NewTable(i % 2));
  batch.mutable_requests(2)->set_rule_set("no such rule set");
  batch.mutable_requests(3)->clear_seats();
  *batch.add_requests() = batch.requests(0);
  *batch.add_requests() = Request("table");
  const std::vector<std::string> expected = {"OK", "OK", "BAD_REQUEST", "BAD_REQUEST",
                                             "OK", "OK", "BAD_REQUEST", "BAD_REQUEST"};
  EXPECT_EQ(CreateBatch(replicas_[0], batch).value(), expected);
  EXPECT_EQ(Forwarded(replicas_[0]), 1) << "one call for all tables of the other host";
  EXPECT_EQ(CreateBatch(replicas_[1], batch).value(), expected) << "the same again";
  for (const int made : {0, 1, 4, 5}) {
    EXPECT_THAT(Get(replicas_[0], batch.requests(made).name()), IsOk());
  }
  EXPECT_THAT(Get(replicas_[0], batch.requests(2).name()), HasReason("TABLE_NOT_FOUND"));
  batch.mutable_requests(0)->set_deal_count(2);
  batch.mutable_requests(1)->set_deal_count(2);
  const std::vector<std::string> others = CreateBatch(replicas_[0], batch).value();
  EXPECT_EQ(others[0], "TABLE_EXISTS");
  EXPECT_EQ(others[1], "TABLE_EXISTS");
  EXPECT_EQ(others[4], "OK");
  EXPECT_THAT(CreateBatch(replicas_[0], {}), HasReason("BAD_REQUEST"));
  while (batch.requests_size() <= 256) *batch.add_requests() = Request(NewTable(0));
  EXPECT_THAT(CreateBatch(replicas_[0], batch), HasReason("BAD_REQUEST"));
}

TEST_F(PgReplicasTest, MakesOnlyTablesOfItsCell) {
  const std::string other =
      absl::StrCat("tables/", NewTableUuid(entropy_, clock_.Now(), 1).ToString());
  const std::string own =
      absl::StrCat("tables/", NewTableUuid(entropy_, clock_.Now(), 0).ToString());
  EXPECT_THAT(Create(replicas_[0], other), HasReason("WRONG_CELL"));
  v1::BatchCreateTablesRequest batch;
  *batch.add_requests() = Request(other);
  *batch.add_requests() = Request(own);
  const std::vector<std::string> expected = {"WRONG_CELL", "OK"};
  EXPECT_EQ(CreateBatch(replicas_[0], batch).value(), expected);
  EXPECT_THAT(Get(replicas_[0], other), HasReason("TABLE_NOT_FOUND"));
}

TEST_F(PgReplicasTest, RefusesToStartOnTheDatabaseOfAnotherCell) {
  Options options = OptionsOfReplica();
  options.cell = 1;
  EXPECT_THAT(TryToStart(options, clock_), HasReason("DATABASE_OF_OTHER_CELL"));
  EXPECT_TRUE(SeesNodes(replicas_[0], 2)) << "the replica of the other cell joined the list";
  // Without game tables, the database still can change its cell.
  EXPECT_THAT(MigrateSchema(options), IsOk());
  EXPECT_THAT(TryToStart(OptionsOfReplica(), clock_), HasReason("DATABASE_OF_OTHER_CELL"));
  EXPECT_THAT(MigrateSchema(OptionsOfReplica()), IsOk());
  ASSERT_THAT(Create(replicas_[0], NewTable(0)), IsOk());
  EXPECT_THAT(MigrateSchema(options), HasReason("DATABASE_OF_OTHER_CELL"));
  EXPECT_THAT(TryToStart(options, clock_), HasReason("DATABASE_OF_OTHER_CELL"));
}

TEST_F(PgReplicasTest, TellsTheFreeTablesOfTheCell) {
  const auto capacity = [&](Running& at, std::uint32_t cell) -> absl::StatusOr<std::uint64_t> {
    v1::GetCapacityRequest request;
    request.set_cell(cell);
    grpc::ClientContext context;
    Sign(context, {.service = "matchmaking"});
    v1::GetCapacityResponse response;
    const grpc::Status status =
        v1::TableAdminService::NewStub(at.channel)->GetCapacity(&context, request, &response);
    if (!status.ok()) return status::FromGrpc(status);
    return response.free_table_count();
  };
  const std::uint64_t empty = 2 * static_cast<std::uint64_t>(OptionsOfReplica().tables_open_max);
  EXPECT_EQ(capacity(replicas_[0], 0).value(), empty);
  ASSERT_THAT(Create(replicas_[0], NewTable(0)), IsOk());
  EXPECT_EQ(capacity(replicas_[0], 0).value(), empty - 2) << "the estimate for both replicas";
  EXPECT_EQ(capacity(replicas_[1], 0).value(), empty);
  EXPECT_THAT(capacity(replicas_[0], 1), HasReason("WRONG_CELL"));
}

TEST_F(PgReplicasTest, AnswersElsewhereAfterAReplicaStops) {
  const std::string table = NewTable(1);
  ASSERT_THAT(Create(replicas_[1], table), IsOk());
  replicas_[1].service->Shutdown();
  EXPECT_TRUE(SeesNodes(replicas_[0], 1));
  const double before = Forwarded(replicas_[0]);
  ASSERT_THAT(AddNonce(replicas_[0], table, entropy_.NewUuid().ToString()), IsOk());
  EXPECT_EQ(Forwarded(replicas_[0]), before);
}

// A replica with a wrong clock or wrong keys would refuse the calls of all other services, so it
// must not start.
TEST_F(PgReplicasTest, RefusesToStartWithAWrongClockWrongKeysOrATakenAddress) {
  class FastClock final : public Clock {
    absl::Time Now() override { return real_.Now() + absl::Minutes(10); }
    RealClock real_;
  } fast;
  EXPECT_THAT(TryToStart(OptionsOfReplica(), fast), HasReason("CLOCK_WRONG"));

  Options other_keys = OptionsOfReplica();
  other_keys.internal_key_file = testing::TempDir() + "rules_replicas_other.keys";
  std::ofstream(other_keys.internal_key_file) << "test:" << std::string(43, 'A') << "=\n";
  chmod(other_keys.internal_key_file.c_str(), 0600);
  EXPECT_THAT(TryToStart(other_keys, clock_), HasReason("TOKEN_REFUSED"));

  Options taken = OptionsOfReplica();
  taken.advertise_address = addresses_[0];
  EXPECT_THAT(TryToStart(taken, clock_), HasReason("ADDRESS_TAKEN"));

  EXPECT_TRUE(SeesNodes(replicas_[0], 2) && SeesNodes(replicas_[1], 2));
}

TEST_F(PgReplicasTest, FeedOfAnotherReplicaEndsWithTableMoved) {
  const std::string table = NewTable(1);
  ASSERT_THAT(Create(replicas_[0], table), IsOk());
  grpc::ClientContext context;
  Sign(context, {.service = "gateway"});
  const auto stub = v1::TableFeedService::NewStub(replicas_[0].channel);
  const auto stream = stub->WatchTables(&context);
  v1::WatchTablesRequest request;
  const Uuid id = ParseTableName(table, "name")->uuid;
  request.add_add()->set_table(id.bytes().data(), id.bytes().size());
  ASSERT_TRUE(stream->Write(request));
  v1::WatchTablesResponse response;
  while (response.frames().empty()) ASSERT_TRUE(stream->Read(&response));
  google::rpc::Status end = response.frames(0).end();
  EXPECT_THAT(status::FromGrpc(grpc::Status(static_cast<grpc::StatusCode>(end.code()),
                                            end.message(), end.SerializeAsString())),
              HasReason("TABLE_MOVED"));
  context.TryCancel();
}

class PgArchivingReplicasTest : public PgReplicasTest {
 protected:
  ~PgArchivingReplicasTest() override {
    if (!archive_dir_.empty()) std::filesystem::remove_all(archive_dir_);
  }

  // Stores matches of a month ago whose results are delivered.
  void StoreOldMatches(int count) {
    prometheus::Registry registry;
    pg::Pool pool({.dsn = dsn_}, TableStatements(), registry);
    pg::Pool append_pool({.dsn = dsn_, .session_sql = kAppendSession}, AppendStatements(),
                         registry);
    const auto store =
        MakePgTableStore(pool, append_pool, dealing::SecretBox(*ReadKeyFile(key_file_)), entropy_);
    for (int i = 0; i < count; ++i) {
      TableConfig table{
          .rule_set = "fft", .deal_count = 2, .create_time = clock_.Now() - absl::Hours(24 * 30)};
      if (i % 2 == 0) table.id = TableId{entropy_.NewUuid()};
      matches_.emplace_back(table, 4, i % 2, entropy_);
      ASSERT_THAT(store->Create(matches_.back().config()), IsOk());
      for (const NewEntry& entry : matches_.back().entries()) {
        ASSERT_THAT(store->Append({entry})[0], IsOk());
      }
    }
    pqxx::connection connection(dsn_);
    pqxx::nontransaction(connection).exec0("DELETE FROM rules.outbox");
  }

  void Stop() {
    for (Running& one : replicas_) one.service->Shutdown();
  }
  void StartAgain() {
    for (Running& one : replicas_) one = Start();
  }

  int CountEntries() {
    pqxx::connection connection(dsn_);
    return pqxx::nontransaction(connection)
        .exec1("SELECT count(*) FROM rules.table_actions")[0]
        .as<int>();
  }

  // Returns what the first player of `match` sees: the table, the records, the list of records, the
  // score sheet, and the answers to a move and to a stream of views.
  std::vector<std::string> Seen(Running& at, const RandomMatch& match) {
    const rpc::Caller caller = {.player = match.config().seats[0].player, .display_name = "P"};
    const std::string name = absl::StrCat("tables/", match.config().id.ToString());
    std::vector<std::string> seen;
    const auto tables = v1::TableService::NewStub(at.channel);
    const auto records = v1::RecordService::NewStub(at.channel);
    const auto add = [&](const grpc::Status& status, const google::protobuf::Message& message) {
      seen.push_back(status.ok() ? message.ShortDebugString()
                                 : GetErrorDetails(status::FromGrpc(status)).reason);
    };
    const auto call = [&](const auto& run) {
      grpc::ClientContext context;
      Sign(context, caller);
      run(context);
    };
    call([&](grpc::ClientContext& context) {
      v1::GetTableRequest request;
      request.set_name(name);
      v1::GetTableResponse response;
      const grpc::Status status = tables->GetTable(&context, request, &response);
      // The archive has fewer entries: it has no phrases, no proposals, and no times of single
      // actions.
      v1::Table* table = response.mutable_table();
      table->clear_revision();
      table->clear_phrases();
      table->clear_muted_seats();
      table->clear_last_proposal();
      for (v1::Seat& seat : *table->mutable_seats()) seat.clear_time_bank();
      add(status, response);
    });
    for (int number = 1; number <= 3; ++number) {
      call([&](grpc::ClientContext& context) {
        v1::GetRecordRequest request;
        request.set_name(absl::StrCat(name, "/records/", number));
        v1::GetRecordResponse response;
        const grpc::Status status = records->GetRecord(&context, request, &response);
        add(status, response);
      });
    }
    call([&](grpc::ClientContext& context) {
      v1::ListRecordsRequest request;
      request.set_player("players/" + caller.player.ToString());
      v1::ListRecordsResponse response;
      const grpc::Status status = records->ListRecords(&context, request, &response);
      add(status, response);
    });
    call([&](grpc::ClientContext& context) {
      v1::GetScoreSheetRequest request;
      request.set_name(name);
      v1::GetScoreSheetResponse response;
      const grpc::Status status = records->GetScoreSheet(&context, request, &response);
      add(status, response);
    });
    return seen;
  }

  std::vector<RandomMatch> matches_;
};

// No replica runs while the matches are stored, because a replica would keep half a match in its
// memory. Both replicas begin to archive as soon as they start with a folder for the archive.
TEST_F(PgArchivingReplicasTest, TwoReplicasArchiveAndAnswerAsBefore) {
  Stop();
  ASSERT_NO_FATAL_FAILURE(StoreOldMatches(8));
  EXPECT_GT(CountEntries(), 0);
  StartAgain();
  std::vector<std::vector<std::string>> before;
  for (const RandomMatch& match : matches_) before.push_back(Seen(replicas_[0], match));
  char name[] = "/tmp/tarot-archive-XXXXXX";
  archive_dir_ = ::mkdtemp(name);
  Stop();
  StartAgain();
  while (CountEntries() > 0) absl::SleepFor(absl::Milliseconds(100));
  for (Running& one : replicas_) {
    for (std::size_t i = 0; i < matches_.size(); ++i) {
      const std::vector<std::string> after = Seen(one, matches_[i]);
      ASSERT_EQ(before[i].size(), after.size());
      for (std::size_t j = 0; j < after.size(); ++j) {
        EXPECT_EQ(before[i][j], after[j]) << "match " << i << ", answer " << j;
      }
    }
  }
}

}  // namespace
}  // namespace tarot::rules_service
