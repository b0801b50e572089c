// Tests the limits on GetTable calls that must read a log. One player, one address or one IPv6
// network may have only a few such calls at the same time. Uses a real server and a store that
// waits.
#include <gmock/gmock.h>

#include <algorithm>
#include <future>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "libs/rpc/call.h"
#include "libs/rpc/client_network.h"
#include "libs/rpc/server.h"
#include "libs/status/wire.h"
#include "libs/testkit/status_matchers.h"
#include "services/rules/testing/fake_table_store.h"
#include "services/rules/testing/threaded_tables.h"
#include "services/rules/transport/table_service.h"

namespace tarot::rules_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

// A store whose Load waits until the test notifies `open`.
class WaitingStore final : public FakeTableStore {
 public:
  absl::StatusOr<StoredTable> Load(TableId table) override {
    open.WaitForNotification();
    return FakeTableStore::Load(table);
  }
  absl::Notification open;
};

class TableReadsTest : public testing::Test {
 protected:
  TableReadsTest() {
    server_ = rpc::Server::Start({.drain_timeout = absl::Milliseconds(100)}, {&service_}).value();
    stub_ =
        v1::TableService::NewStub(rpc::MakeChannel("127.0.0.1:" + std::to_string(server_->port())));
    const TableConfig config = rules_.FourPeople();
    EXPECT_THAT(rules_.store.Create(config).status(), IsOk());
    request_.set_name(absl::StrCat("tables/", config.id.ToString()));
  }
  ~TableReadsTest() override {
    server_->Shutdown();
    rules_.Stop();
    list_workers_.Stop();
  }

  struct Call {
    grpc::ClientContext context;
    v1::GetTableResponse response;
    std::promise<absl::Status> done;
    std::future<absl::Status> answer = done.get_future();
  };

  PlayerId NewPlayer() { return PlayerId{rules_.entropy.NewUuid()}; }

  // Asks for the table, which is not in memory. The answer comes after the test has notified
  // `open`.
  std::unique_ptr<Call> Get(PlayerId player, const std::string& network) {
    auto call = std::make_unique<Call>();
    identity_.Sign(call->context, rpc::Caller{.player = player, .display_name = "P"});
    call->context.AddMetadata(rpc::kClientNetworkMetadata, network);
    stub_->async()->GetTable(&call->context, &request_, &call->response,
                             [&done = call->done](const grpc::Status& status) {
                               done.set_value(status::FromGrpc(status));
                             });
    return call;
  }

  // Makes `limit` + `count` calls. `limit` calls wait for the store, and the server must refuse
  // exactly `count` calls meanwhile.
  template <typename Make>
  void ExpectLimit(int limit, int count, const Make& make) {
    std::vector<std::unique_ptr<Call>> calls;
    for (int i = 0; i < limit + count; ++i) calls.push_back(make());
    const auto answered = [](const auto& call) {
      return call->answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    };
    while (std::count_if(calls.begin(), calls.end(), answered) < count) absl::SleepFor(kTick);
    const std::unique_ptr<Call> other = Get(NewPlayer(), "another network");
    rules_.store.open.Notify();
    EXPECT_THAT(other->answer.get(), IsOk()) << "Other addresses have places.";
    int refused = 0;
    for (const auto& call : calls) {
      const absl::Status status = call->answer.get();
      if (status.ok()) continue;
      EXPECT_THAT(status, HasReason("RATE_LIMITED"));
      ++refused;
    }
    EXPECT_EQ(refused, count);
    // Now new calls are allowed again.
    EXPECT_THAT(make()->answer.get(), IsOk());
  }

  static constexpr absl::Duration kTick = absl::Milliseconds(2);
  ThreadedTables<WaitingStore> rules_;
  ThreadWorkerPool list_workers_{kListThreads, kListQueueMax};
  rpc::CallMetrics calls_{rpc::Side::kServer, rules_.registry};
  rpc::CallMetrics client_calls_{rpc::Side::kClient, rules_.registry};
  rpc::Authenticator identity_{rpc::KeyRing({{"k1", std::string(32, 'k')}}), rules_.clock};
  rpc::Dispatcher dispatcher_{rules_.clock, rules_.workers, identity_, calls_};
  rpc::Dispatcher list_dispatcher_{rules_.clock, list_workers_, identity_, calls_};
  HostRouter router_{rules_.hosting, identity_, rules_.clock, client_calls_,
                     rules_.metrics.hosting};
  TableViews views_;
  ListGatherer gatherer_{{}, dispatcher_, identity_, rules_.clock, client_calls_};
  GrpcTableService service_{rules_.tables, rules_.store, views_,          router_,
                            gatherer_,     dispatcher_,  list_dispatcher_};
  v1::GetTableRequest request_;
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<v1::TableService::Stub> stub_;
};

TEST_F(TableReadsTest, OnePlayerHasFewPlaces) {
  const PlayerId player = NewPlayer();
  ExpectLimit(kReadsPerPlayerMax, 3, [&] { return Get(player, "31302e302e302e31"); });
}

TEST_F(TableReadsTest, ManyGuestsOfOneAddressHaveFewPlaces) {
  ExpectLimit(kReadsPerAddressMax, 5, [&] { return Get(NewPlayer(), "31302e302e302e31"); });
}

TEST_F(TableReadsTest, TheAddressesOfOneIpv6NetworkHaveFewPlaces) {
  int last = 0;
  ExpectLimit(kReadsPerNetworkMax, 5, [&] {
    return Get(NewPlayer(), absl::StrCat(rpc::kIpv6Network, "20010db80001", 1000 + ++last));
  });
}

// So lists never hold up the workers that play.
TEST_F(TableReadsTest, ListsHaveWorkersOfTheirOwn) {
  absl::Notification go_on;
  const auto list = [this] {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    identity_.Sign(context, rpc::Caller{.player = NewPlayer(), .display_name = "P"});
    v1::ListTablesResponse response;
    return status::FromGrpc(stub_->ListTables(&context, {}, &response));
  };
  for (int i = 0; i < kListThreads; ++i) {
    ASSERT_TRUE(list_workers_.TryRun([&] { go_on.WaitForNotification(); }));
  }
  auto waiting = std::async(std::launch::async, list);
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout)
      << "the list must wait for a list worker";
  go_on.Notify();
  EXPECT_THAT(waiting.get(), IsOk());
  rules_.store.open.Notify();
}

}  // namespace
}  // namespace tarot::rules_service
