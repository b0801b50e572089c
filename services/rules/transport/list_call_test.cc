// Tests ListTables with two cells. The threads for lists of cell 1 wait for a database that does
// not answer, and players must still get the tables of cell 0 at once.
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "libs/base/cell.h"
#include "libs/rpc/call.h"
#include "libs/rpc/server.h"
#include "libs/status/wire.h"
#include "libs/testkit/status_matchers.h"
#include "services/rules/testing/fake_table_store.h"
#include "services/rules/testing/threaded_tables.h"
#include "services/rules/transport/list_gatherer.h"
#include "services/rules/transport/record_service.h"
#include "services/rules/transport/table_service.h"
#include "tarot/rules/v1/record_service.grpc.pb.h"

namespace tarot::rules_service {
namespace {

using testing::ElementsAre;
using testing::Ge;
using testing::IsEmpty;
using testing::Lt;
using testkit::HasReason;
using testkit::IsOk;

// A busy machine answers within this time, and a call that waits for kCellTimeout does not.
constexpr absl::Duration kAtOnce = absl::Seconds(1);

std::string AddressOf(int cell) {
  return absl::StrCat("unix:", testing::TempDir(), "/list-call-", getpid(), "-", cell);
}

// The only replica of a cell, which has one table.
struct Replica {
  explicit Replica(int its_cell) : cell(its_cell) {
    config.id = TableId{NewTableUuid(rules.entropy, rules.clock.Now(), cell)};
    EXPECT_THAT(rules.store.Create(config).status(), IsOk());
    server =
        rpc::Server::Start({.address = AddressOf(cell), .drain_timeout = absl::Milliseconds(100)},
                           {&table_service, record_service.get()})
            .value();
    const auto channel = rpc::MakeChannel(AddressOf(cell));
    tables = v1::TableService::NewStub(channel);
    records = v1::RecordService::NewStub(channel);
  }
  ~Replica() {
    Thaw();
    server->Shutdown();
    gatherer.Stop();
    rules.Stop();
    list_workers.Stop();
  }

  // All threads for lists wait from now on, as they do for a database that does not answer.
  void Freeze() {
    for (int i = 0; i < kListThreads; ++i) {
      EXPECT_TRUE(list_workers.TryRun([this] { thawed.WaitForNotification(); }));
    }
  }
  void Thaw() {
    if (!thawed.HasBeenNotified()) thawed.Notify();
  }

  struct Answer {
    absl::Status status;
    std::vector<std::string> tables;
    std::vector<int> silent_cells;
    absl::Duration time;
  };
  Answer ListTables() {
    grpc::ClientContext context;
    Sign(context);
    v1::ListTablesResponse response;
    const Stopwatch watch;
    Answer answer{.status = status::FromGrpc(tables->ListTables(&context, {}, &response))};
    answer.time = watch.Elapsed();
    for (const v1::Table& table : response.tables()) answer.tables.push_back(table.name());
    answer.silent_cells.assign(response.silent_cells().begin(), response.silent_cells().end());
    return answer;
  }
  absl::Status ListRecords(const std::string& table) {
    grpc::ClientContext context;
    Sign(context);
    v1::ListRecordsRequest request;
    request.set_table(table);
    v1::ListRecordsResponse response;
    return status::FromGrpc(records->ListRecords(&context, request, &response));
  }
  void Sign(grpc::ClientContext& context) {
    rpc::SetTimeout(context, absl::Seconds(20));
    identity.Sign(context, {.player = config.seats[0].player, .display_name = "P"});
  }
  std::string table() const { return absl::StrCat("tables/", config.id.ToString()); }

  const int cell;
  absl::Notification thawed;
  std::atomic<bool> away = false;  // Whether the replica knows that its database is silent.
  ThreadedTables<FakeTableStore> rules;
  TableConfig config = rules.FourPeople();
  ThreadWorkerPool list_workers{kListThreads, kListQueueMax};
  InlineWorkerPool no_wait;
  rpc::CallMetrics calls{rpc::Side::kServer, rules.registry};
  rpc::CallMetrics client_calls{rpc::Side::kClient, rules.registry};
  rpc::Authenticator identity{rpc::KeyRing({{"k1", std::string(32, 'k')}}), rules.clock};
  rpc::Dispatcher dispatcher{rules.clock, rules.workers, identity, calls};
  rpc::Dispatcher list_dispatcher{rules.clock, list_workers, identity, calls,
                                  [this] { return away ? StorageAway() : absl::OkStatus(); }};
  rpc::Dispatcher prompt_dispatcher{rules.clock, no_wait, identity, calls};
  HostRouter router{rules.hosting, identity, rules.clock, client_calls, rules.metrics.hosting};
  TableViews views;
  ListGatherer gatherer{{{0, {AddressOf(0)}}, {1, {AddressOf(1)}}},
                        prompt_dispatcher,
                        identity,
                        rules.clock,
                        client_calls};
  GrpcTableService table_service{rules.tables, rules.store, views,          router,
                                 gatherer,     dispatcher,  list_dispatcher};
  RecordService record_app{rules.store};
  std::unique_ptr<grpc::Service> record_service =
      MakeRecordService(record_app, router, gatherer, list_dispatcher);
  std::unique_ptr<rpc::Server> server;
  std::unique_ptr<v1::TableService::Stub> tables;
  std::unique_ptr<v1::RecordService::Stub> records;
};

class ListCallTest : public testing::Test {
 protected:
  Replica zero_{0};
  Replica one_{1};
};

TEST_F(ListCallTest, ListsTheTablesOfAllCells) {
  for (Replica* replica : {&zero_, &one_}) {
    const Replica::Answer answer = replica->ListTables();
    EXPECT_THAT(answer.status, IsOk());
    EXPECT_THAT(answer.tables, testing::UnorderedElementsAre(zero_.table(), one_.table()));
    EXPECT_THAT(answer.silent_cells, IsEmpty());
  }
}

TEST_F(ListCallTest, ACellWithoutDatabaseDelaysNoList) {
  one_.Freeze();
  one_.away = true;
  // Also the replica of the frozen cell has the tables of the other cell.
  for (Replica* replica : {&zero_, &one_, &zero_, &one_}) {
    const Replica::Answer answer = replica->ListTables();
    EXPECT_THAT(answer.status, IsOk());
    EXPECT_THAT(answer.tables, ElementsAre(zero_.table()));
    EXPECT_THAT(answer.silent_cells, ElementsAre(1));
    EXPECT_THAT(answer.time, Lt(kAtOnce));
  }
  // A list whose rows are all in this cell says why there is none.
  EXPECT_THAT(zero_.ListRecords(one_.table()), HasReason("STORAGE_AWAY"));
  EXPECT_THAT(one_.ListRecords(one_.table()), HasReason("STORAGE_AWAY"));
  EXPECT_THAT(one_.ListRecords(zero_.table()), IsOk());

  one_.away = false;
  one_.Thaw();
  EXPECT_THAT(zero_.ListTables().silent_cells, IsEmpty());
  EXPECT_THAT(one_.ListTables().silent_cells, IsEmpty());
}

// A replica notices after some seconds that its database does not answer. Until then, a list waits
// at most kCellTimeout for it.
TEST_F(ListCallTest, AListWaitsOnceForACellThatHasJustFrozen) {
  one_.Freeze();
  for (Replica* replica : {&zero_, &one_}) {
    const Replica::Answer first = replica->ListTables();
    EXPECT_THAT(first.tables, ElementsAre(zero_.table()));
    EXPECT_THAT(first.silent_cells, ElementsAre(1));
    EXPECT_THAT(first.time, Ge(kCellTimeout - absl::Milliseconds(100)));
    EXPECT_THAT(first.time, Lt(kCellTimeout + kAtOnce));
    const Replica::Answer second = replica->ListTables();
    EXPECT_THAT(second.silent_cells, ElementsAre(1));
    EXPECT_THAT(second.time, Lt(kAtOnce));
  }
}

}  // namespace
}  // namespace tarot::rules_service
