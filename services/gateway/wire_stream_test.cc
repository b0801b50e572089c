// Tests WatchTable streams over real gRPC connections: the views that they show, and how they end.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "libs/base/cell.h"
#include "libs/base/check.h"
#include "libs/cluster/rendezvous.h"
#include "libs/rpc/call.h"
#include "libs/rpc/server.h"
#include "libs/status/wire.h"
#include "libs/testkit/status_matchers.h"
#include "services/gateway/testing/gateway_fixture.h"

namespace tarot::gateway_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

const TableId kTable = *TableId::Parse("00000000-0000-4000-8000-000000000001");

// An open WatchTable stream of one player.
struct Watching {
  Watching(GatewayFixture& fixture, const std::string& token, TableId table = kTable,
           int after = -1) {
    AddToken(context, token);
    rpc::SetTimeout(context, absl::Seconds(30));
    rules::v1::WatchTableRequest request;
    request.set_name(absl::StrCat("tables/", table.ToString()));
    if (after >= 0) request.set_after_revision(after);
    reader = fixture.stub->WatchTable(&context, request);
  }
  int NextRevision() { return reader->Read(&response) ? response.table().revision() : -1; }
  absl::Status Finish() { return status::FromGrpc(reader->Finish()); }

  grpc::ClientContext context;
  rules::v1::WatchTableResponse response;
  std::unique_ptr<grpc::ClientReader<rules::v1::WatchTableResponse>> reader;
};

TEST(WireStreamTest, CountsEachPlayerWithStreamsOnce) {
  GatewayFixture fixture;
  const auto anna = fixture.SignIn("Anna");
  Watching first(fixture, anna);
  ASSERT_EQ(first.NextRevision(), 0);
  Watching second(fixture, anna);
  ASSERT_EQ(second.NextRevision(), 0);
  EXPECT_EQ(fixture.Metric("tarot_gateway_players_active"), 1);
  {
    Watching third(fixture, fixture.SignIn("Bert"));
    ASSERT_EQ(third.NextRevision(), 0);
    EXPECT_EQ(fixture.Metric("tarot_gateway_players_active"), 2);
    third.context.TryCancel();
    (void)third.Finish();
  }
  EXPECT_TRUE(
      fixture.Eventually([&] { return fixture.Metric("tarot_gateway_players_active") == 1; }));
  fixture.rules.feeds.End(kTable, absl::OkStatus());
  EXPECT_TRUE(
      fixture.Eventually([&] { return fixture.Metric("tarot_gateway_players_active") == 0; }));
  (void)first.Finish();
  (void)second.Finish();
}

TEST(WireStreamTest, ShowsEveryViewAndTheEndOfTheMatch) {
  GatewayFixture fixture;
  Watching watching(fixture, fixture.SignIn("Anna"));
  for (int revision = 0; revision < 50; ++revision) {
    ASSERT_EQ(watching.NextRevision(), revision);
    fixture.rules.feeds.Show(kTable, revision + 1);
  }
  EXPECT_EQ(fixture.Metric("tarot_gateway_streams_open"), 1);
  EXPECT_EQ(fixture.Metric("tarot_gateway_tables_open"), 1);
  EXPECT_EQ(watching.NextRevision(), 50);
  fixture.rules.feeds.End(kTable, absl::OkStatus());
  EXPECT_EQ(watching.NextRevision(), -1);
  EXPECT_THAT(watching.Finish(), IsOk());
  EXPECT_TRUE(
      fixture.Eventually([&] { return fixture.Metric("tarot_gateway_streams_open") == 0; }));
  EXPECT_EQ(fixture.Metric("tarot_gateway_tables_open"), 0);
  EXPECT_EQ(fixture.Metric("grpc_server_msg_sent_total", "WatchTable"), 51);
  EXPECT_EQ(fixture.Metric("tarot_gateway_frames_total", "sent"), 51);
}

// The second player begins to watch one second after the gateway has got the view.
TEST(WireStreamTest, EachViewHasTheTimeOfItsSending) {
  GatewayFixture fixture;
  const std::string token = fixture.SignIn("Anna");
  Watching first(fixture, token);
  ASSERT_EQ(first.NextRevision(), 0);
  fixture.time.Advance(absl::Seconds(1));
  Watching second(fixture, token);
  ASSERT_EQ(second.NextRevision(), 0);
  EXPECT_EQ(second.response.server_time().seconds(), absl::ToUnixSeconds(fixture.time.Now()));
  EXPECT_EQ(first.response.server_time().seconds() + 1, second.response.server_time().seconds());
}

TEST(WireStreamTest, SaysWhichSeatsHaveLostTheConnection) {
  GatewayFixture fixture;
  const std::string token = fixture.SignIn("Anna");
  ASSERT_THAT(fixture.GetTable(token), IsOk());
  const PlayerId anna = fixture.tables.last_seen().caller.player;
  ASSERT_THAT(fixture.GetTable(fixture.SignIn("Bela")), IsOk());
  const PlayerId bela = fixture.tables.last_seen().caller.player;
  fixture.rules.feeds.Show(kTable, 7, {{anna, ""}, {bela, ""}});
  Watching watching(fixture, token);
  ASSERT_EQ(watching.NextRevision(), 7);
  EXPECT_EQ(watching.response.disconnected_seats_size(), 0);
  EXPECT_TRUE(Eventually([&] { return fixture.rules.feeds.present(kTable) == 1; }));
  Watching spectator(fixture, fixture.SignIn("Cleo"));
  ASSERT_EQ(spectator.NextRevision(), 7);
  fixture.rules.feeds.ShowConnected(kTable, {anna});
  fixture.rules.feeds.Show(kTable, 8, {{anna, ""}, {bela, ""}});
  for (Watching* const each : {&watching, &spectator}) {
    ASSERT_EQ(each->NextRevision(), 8);
    EXPECT_EQ(each->response.disconnected_seats_size(), 0);
  }
  EXPECT_TRUE(fixture.Eventually([&] {  // Each of the two streams has had two views before.
    return fixture.Metric("tarot_gateway_frames_total", "sent") == 6;
  }));
  for (Watching* const each : {&watching, &spectator}) {
    ASSERT_EQ(each->NextRevision(), 8) << "The same revision again.";
    EXPECT_THAT(each->response.disconnected_seats(), testing::ElementsAre(1));
  }
  fixture.rules.feeds.ShowConnected(kTable, {anna, bela});
  for (Watching* const each : {&watching, &spectator}) {
    ASSERT_EQ(each->NextRevision(), 8);
    EXPECT_EQ(each->response.disconnected_seats_size(), 0);
  }
  EXPECT_EQ(fixture.rules.feeds.present(kTable), 1) << "A spectator is not reported.";
}

TEST(WireStreamTest, ShowsASeatsOwnPartToItsPlayerOnly) {
  GatewayFixture fixture;
  const std::vector<std::string> names = {"Anna", "Bela", "Cleo"};
  std::vector<std::string> tokens;
  std::vector<FakeFeeds::Own> owns;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    tokens.push_back(fixture.SignIn(names[i]));
    ASSERT_THAT(fixture.GetTable(tokens.back()), IsOk());
    rules::v1::Table own;
    own.mutable_deal()->add_hand(i + 1);
    owns.push_back({fixture.tables.last_seen().caller.player, own.SerializeAsString()});
  }
  owns.pop_back();  // The third player does not sit at the table.
  std::vector<std::unique_ptr<Watching>> watching;
  for (const std::string& token : tokens) {
    watching.push_back(std::make_unique<Watching>(fixture, token));
  }
  // With each revision, the parts of the seats come in another order.
  for (int revision = 1; revision <= 20; ++revision) {
    std::swap(owns[0], owns[1]);
    fixture.rules.feeds.Show(kTable, revision, owns);
    for (std::uint32_t i = 0; i < watching.size(); ++i) {
      Watching& player = *watching[i];
      for (int seen = 0; seen < revision;) {
        seen = player.NextRevision();
        ASSERT_GE(seen, 0);
      }
      std::vector<std::uint32_t> own;
      if (i < owns.size()) own.push_back(i + 1);
      ASSERT_THAT(player.response.table().deal().hand(), testing::ElementsAreArray(own));
    }
  }
  EXPECT_EQ(fixture.rules.feeds.wanted(), 1u) << "All watchers share one subscription.";
  for (const auto& player : watching) player->context.TryCancel();
}

TEST(WireStreamTest, SendsNothingThatTheClientHas) {
  GatewayFixture fixture;
  fixture.rules.feeds.Show(kTable, 5);
  Watching watching(fixture, fixture.SignIn(), kTable, 5);
  ASSERT_TRUE(fixture.Eventually([&] { return fixture.rules.feeds.wanted() == 1; }));
  fixture.rules.feeds.Show(kTable, 6);
  EXPECT_EQ(watching.NextRevision(), 6);
  watching.context.TryCancel();
}

TEST(WireStreamTest, ShowsARestartedClockAtOnce) {
  GatewayFixture fixture;
  rules::v1::Table table;
  table.set_revision(5);
  table.mutable_turn_expire_time()->set_seconds(10);
  fixture.rules.feeds.ShowBytes(kTable, 5, table.SerializeAsString());
  Watching watching(fixture, fixture.SignIn());
  ASSERT_EQ(watching.NextRevision(), 5);
  table.mutable_turn_expire_time()->set_seconds(30);
  fixture.rules.feeds.ShowBytes(kTable, 5, table.SerializeAsString());
  ASSERT_EQ(watching.NextRevision(), 5);
  EXPECT_EQ(watching.response.table().turn_expire_time().seconds(), 30);
  watching.context.TryCancel();
}

TEST(WireStreamTest, PassesAnErrorOfTheServiceUnchanged) {
  GatewayFixture fixture;
  fixture.rules.feeds.End(kTable,
                          Error(absl::StatusCode::kNotFound, "TABLE_NOT_FOUND", "No such table."));
  Watching watching(fixture, fixture.SignIn());
  EXPECT_EQ(watching.NextRevision(), -1);
  EXPECT_THAT(watching.Finish(), HasReason("TABLE_NOT_FOUND"));
}

TEST(WireStreamTest, RefusesABadTableName) {
  GatewayFixture fixture;
  grpc::ClientContext context;
  AddToken(context, fixture.SignIn());
  rules::v1::WatchTableRequest request;
  request.set_name("tables/1");
  const auto reader = fixture.stub->WatchTable(&context, request);
  rules::v1::WatchTableResponse response;
  EXPECT_FALSE(reader->Read(&response));
  const absl::Status refused = status::FromGrpc(reader->Finish());
  EXPECT_THAT(refused, HasReason("BAD_REQUEST"));
  EXPECT_EQ(GetErrorDetails(refused).metadata.at("field"), "name");
}

TEST(WireStreamTest, CancellationEndsTheSubscription) {
  GatewayFixture fixture;
  Watching watching(fixture, fixture.SignIn());
  ASSERT_EQ(watching.NextRevision(), 0);
  EXPECT_EQ(fixture.rules.feeds.wanted(), 1u);
  watching.context.TryCancel();
  EXPECT_THAT(watching.Finish(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_TRUE(fixture.Eventually([&] { return fixture.rules.feeds.wanted() == 0; }));
  EXPECT_TRUE(
      fixture.Eventually([&] { return fixture.Metric("tarot_gateway_streams_open") == 0; }));
}

TEST(WireStreamTest, LimitsTheStreamsOfAPlayer) {
  GatewayFixture fixture([](Options& options) { options.streams_per_player_max = 2; });
  const std::string anna = fixture.SignIn("Anna");
  Watching first(fixture, anna);
  ASSERT_EQ(first.NextRevision(), 0);
  {
    Watching second(fixture, anna);
    ASSERT_EQ(second.NextRevision(), 0);
    Watching third(fixture, anna);
    EXPECT_EQ(third.NextRevision(), -1);
    EXPECT_THAT(third.Finish(), HasReason("RATE_LIMITED"));
    EXPECT_EQ(fixture.Metric("tarot_gateway_rate_limited_total", "streams"), 1);
    EXPECT_THAT(fixture.GetTable(anna), IsOk()) << "Unary calls need no slot.";
    Watching bela(fixture, fixture.SignIn("Bela"));
    EXPECT_EQ(bela.NextRevision(), 0);
    bela.context.TryCancel();
    second.context.TryCancel();
  }
  EXPECT_TRUE(
      fixture.Eventually([&] { return fixture.Metric("tarot_gateway_streams_open") == 1; }));
  Watching again(fixture, anna);
  EXPECT_EQ(again.NextRevision(), 0);
  first.context.TryCancel();
  again.context.TryCancel();
}

TEST(WireStreamTest, OperatorsLowerTheLimitOfOpenStreams) {
  GatewayFixture fixture;
  const std::string anna = fixture.SignIn("Anna");
  Watching first(fixture, anna), second(fixture, anna), third(fixture, anna);
  for (Watching* const each : {&first, &second, &third}) ASSERT_EQ(each->NextRevision(), 0);
  fixture.rules.player_admin.SetLimits({{"streams_per_player_max", 2}});
  ASSERT_TRUE(fixture.Eventually(
      [&] { return fixture.Metric("tarot_gateway_limit", "streams_per_player_max") == 2; }));
  Watching fourth(fixture, anna);
  EXPECT_EQ(fourth.NextRevision(), -1);
  EXPECT_THAT(fourth.Finish(), HasReason("RATE_LIMITED"));
  EXPECT_EQ(fixture.Metric("tarot_gateway_streams_open"), 3) << "Open streams stay open.";
  for (Watching* const each : {&first, &second, &third}) each->context.TryCancel();
}

TEST(WireStreamTest, AClientThatDoesNotReadGetsTheNewestViewLater) {
  GatewayFixture fixture;
  Watching watching(fixture, fixture.SignIn());
  ASSERT_EQ(watching.NextRevision(), 0);
  const auto frames = [&](const std::string& outcome) {
    return fixture.Metric("tarot_gateway_frames_total", outcome);
  };
  constexpr int kLast = 100;
  for (int revision = 1; revision <= kLast; ++revision) {
    rules::v1::Table big;
    big.set_name(std::string(1 << 20, 'x'));
    big.set_revision(revision);
    fixture.rules.feeds.ShowBytes(kTable, revision, big.SerializeAsString());
    // Waits until at least `revision - 1` frames were sent, or replaced by a newer frame while they
    // waited.
    ASSERT_TRUE(Eventually([&] { return frames("sent") + frames("replaced") >= revision - 1; }));
  }
  EXPECT_GT(frames("replaced"), kLast / 2);
  int views = 0;
  for (int last = 0; last != kLast; ++views) {
    last = watching.NextRevision();
    ASSERT_GT(last, 0);
  }
  EXPECT_LT(views, 20);
  watching.context.TryCancel();
}

TEST(WireStreamTest, AStreamSurvivesARestartOfRules) {
  GatewayFixture fixture;
  Watching watching(fixture, fixture.SignIn());
  ASSERT_EQ(watching.NextRevision(), 0);
  fixture.rules.feeds.Show(kTable, 1);
  ASSERT_EQ(watching.NextRevision(), 1);
  fixture.rules.Stop();
  fixture.rules.feeds.Show(kTable, 2);
  fixture.rules.Start();
  ASSERT_TRUE(fixture.Eventually([&] { return fixture.rules.feeds.wanted() == 1; }));
  EXPECT_EQ(watching.NextRevision(), 2);
  EXPECT_GE(fixture.Metric("tarot_gateway_feeds_lost_total"), 1);
  watching.context.TryCancel();
}

TEST(WireStreamTest, ReopensASilentFeed) {
  GatewayFixture fixture;
  Watching watching(fixture, fixture.SignIn());
  ASSERT_EQ(watching.NextRevision(), 0);
  ASSERT_EQ(fixture.rules.feeds.opened, 1);
  fixture.rules.feeds.mute = true;
  fixture.time.Advance(absl::Seconds(4));
  EXPECT_TRUE(fixture.Eventually([&] { return fixture.rules.feeds.opened >= 2; }));
  watching.context.TryCancel();
}

TEST(WireStreamTest, EndsWithServiceAwayWhenNoReplicaAnswers) {
  GatewayFixture fixture;
  Watching watching(fixture, fixture.SignIn());
  ASSERT_EQ(watching.NextRevision(), 0);
  fixture.rules.Stop();
  std::thread clock([&] {
    (void)fixture.Eventually([&] { return fixture.Metric("tarot_gateway_streams_open") == 0; });
  });
  EXPECT_EQ(watching.NextRevision(), -1);
  EXPECT_THAT(watching.Finish(), HasReason("SERVICE_AWAY"));
  clock.join();
}

TEST(WireStreamTest, ShutdownEndsStreamsAtOnce) {
  GatewayFixture fixture;
  Watching watching(fixture, fixture.SignIn());
  ASSERT_EQ(watching.NextRevision(), 0);
  std::thread stopping([&] { fixture.gateway->Shutdown(); });
  EXPECT_EQ(watching.NextRevision(), -1);
  EXPECT_THAT(watching.Finish(), HasReason("SERVICE_AWAY"));
  stopping.join();
}

TEST(WireStreamTest, ServesUntilTheDoorHasNoticedTheStop) {
  GatewayFixture fixture;
  const std::string token = fixture.SignIn();
  std::string socket = testing::TempDir() + "/tarot_door_XXXXXX";
  ASSERT_NE(::mkdtemp(socket.data()), nullptr);
  socket = absl::StrCat("unix:", socket, "/gateway.sock");
  const auto gateway = fixture.StartGateway(socket);
  ASSERT_THAT(gateway, IsOk());
  const auto channel = rpc::MakeChannel(socket);
  fixture.stub = rules::v1::TableService::NewStub(channel);  // The fixture now calls this gateway.
  Watching watching(fixture, token);
  ASSERT_EQ(watching.NextRevision(), 0);
  EXPECT_THAT(rpc::CheckHealth(socket, rpc::kReadiness, absl::Seconds(10)), HasReason("NOT_READY"))
      << "no replica of rules has sent a list";
  EXPECT_TRUE(fixture.Eventually([&] {
    fixture.rules.nodes.Tell({fixture.rules.address()});
    return rpc::CheckHealth(socket, rpc::kReadiness, absl::Seconds(10)).ok();
  }));
  (*gateway)->AnnounceShutdown();
  for (const char* name : {"", rpc::kReadiness}) {
    EXPECT_THAT(rpc::CheckHealth(socket, name, absl::Seconds(10)), HasReason("NOT_READY"));
  }
  EXPECT_THAT(fixture.GetTable(token), IsOk());
  fixture.rules.feeds.Show(kTable, 1);
  EXPECT_EQ(watching.NextRevision(), 1);
  (*gateway)->Shutdown();
  EXPECT_EQ(watching.NextRevision(), -1);
  EXPECT_THAT(watching.Finish(), HasReason("SERVICE_AWAY"));
}

TEST(WireStreamTest, AGatewayThatCannotListenFreesEverything) {
  GatewayFixture fixture;
  ASSERT_TRUE(fixture.Eventually([&] { return fixture.rules.feeds.opened == 1; }));
  const auto second = fixture.StartGateway(absl::StrCat("127.0.0.1:", fixture.gateway->port()));
  EXPECT_THAT(second.status(), HasReason("ADDRESS_TAKEN"));
  // If the second gateway has left a timer behind, the timer runs now.
  fixture.time.Advance(absl::Seconds(2));
  EXPECT_THAT(fixture.GetTable(fixture.SignIn()), IsOk());
}

// A gateway with two replicas of rules. Each table is hosted by one of the replicas that Tell()
// names.
struct TwoReplicas {
  TwoReplicas() { Tell({fixture.rules.address(), other.address()}); }

  void Tell(const std::vector<std::string>& addresses) {
    const auto heard = [&] {
      fixture.rules.nodes.Tell(addresses);
      return fixture.Metric("tarot_gateway_rules_nodes") == static_cast<double>(addresses.size());
    };
    TAROT_CHECK(fixture.Eventually(heard));
  }
  // Returns a table that `replica` hosts when both replicas are in the list.
  TableId TableOf(const FakeReplica& replica) {
    while (true) {
      const TableId table{entropy.NewUuid()};
      if (cluster::HostOf(table.uuid, {fixture.rules.address(), other.address()}) ==
          replica.address()) {
        return table;
      }
    }
  }
  std::string Name(TableId table) { return absl::StrCat("tables/", table.ToString()); }

  SeededEntropy entropy{1};
  GatewayFixture fixture;
  FakeReplica other{fixture.time};
};

TEST(WireStreamTest, CallsAndViewsUseTheTablesHost) {
  TwoReplicas two;
  const std::string anna = two.fixture.SignIn();
  const TableId here = two.TableOf(two.fixture.rules);
  const TableId there = two.TableOf(two.other);
  two.other.feeds.Show(there, 3);
  Watching watching(two.fixture, anna, there);
  EXPECT_EQ(watching.NextRevision(), 3);
  for (int i = 0; i < 4; ++i) EXPECT_THAT(two.fixture.GetTable(anna, two.Name(there)), IsOk());
  EXPECT_EQ(two.other.tables.gets, 4);
  EXPECT_EQ(two.fixture.rules.tables.gets, 0);
  EXPECT_THAT(two.fixture.GetTable(anna, two.Name(here)), IsOk());
  EXPECT_EQ(two.fixture.rules.tables.gets, 1);
  watching.context.TryCancel();
}

TEST(WireStreamTest, CallsAndViewsUseTheCellOfTheTable) {
  testkit::ManualTime time;
  FakeReplica one(time);  // The only replica of cell 1.
  GatewayFixture fixture([&](Options& options) {
    options.rules_address = absl::StrCat("0=", options.rules_address, ";1=", one.address());
  });
  SeededEntropy entropy(2);
  const std::string anna = fixture.SignIn();
  const auto new_table = [&](int cell) { return TableId{NewTableUuid(entropy, time.Now(), cell)}; };
  for (int i = 0; i < 4; ++i) {
    EXPECT_THAT(fixture.GetTable(anna, absl::StrCat("tables/", new_table(1).ToString())), IsOk());
  }
  EXPECT_EQ(one.tables.gets, 4);
  EXPECT_EQ(fixture.rules.tables.gets, 0);
  EXPECT_THAT(fixture.GetTable(anna, absl::StrCat("tables/", new_table(0).ToString())), IsOk());
  EXPECT_EQ(fixture.rules.tables.gets, 1);
  // A name of a deal is longer than the name of its table. The fake answers every name.
  const std::string deal = absl::StrCat("tables/", new_table(1).ToString(), "/deals/12");
  EXPECT_THAT(fixture.GetTable(anna, deal), IsOk());
  EXPECT_EQ(one.tables.gets, 5);

  const TableId there = new_table(1);
  one.feeds.Show(there, 3);
  Watching watching(fixture, anna, there);
  EXPECT_EQ(watching.NextRevision(), 3);
  watching.context.TryCancel();
}

// One cell that has sent its list is enough.
TEST(WireStreamTest, IsReadyWhileAnotherCellIsAway) {
  testkit::ManualTime time;
  FakeReplica one(time);
  GatewayFixture fixture([&](Options& options) {
    options.rules_address = absl::StrCat("0=127.0.0.1:1;1=", one.address());
  });
  const std::string address = absl::StrCat("127.0.0.1:", fixture.gateway->port());
  const auto ready = [&] {
    return rpc::CheckHealth(address, rpc::kReadiness, absl::Seconds(1), "").ok();
  };
  EXPECT_FALSE(ready());
  EXPECT_TRUE(fixture.Eventually([&] {
    one.nodes.Tell({one.address()});
    return ready();
  }));
}

// Perhaps only this gateway cannot reach the host. So another replica gets the call, and forwards
// it to the host.
TEST(WireStreamTest, CallsUseAnotherReplicaWhileTheHostIsSilent) {
  TwoReplicas two;
  const std::string anna = two.fixture.SignIn();
  const std::string there = two.Name(two.TableOf(two.other));
  const auto asked = [&](const FakeReplica& replica) {
    return [&] {
      const int before = replica.tables.gets;
      return two.fixture.GetTable(anna, there).ok() && replica.tables.gets > before;
    };
  };
  EXPECT_TRUE(two.fixture.Eventually(asked(two.other)));
  two.other.feeds.mute = true;
  EXPECT_TRUE(two.fixture.Eventually(asked(two.fixture.rules)));
  two.other.feeds.mute = false;
  EXPECT_TRUE(two.fixture.Eventually(asked(two.other)));
}

TEST(WireStreamTest, CallsInFlightToAReplicaThatLeftEndSoon) {
  TwoReplicas two;
  const std::string anna = two.fixture.SignIn();
  const TableId there = two.TableOf(two.other);
  two.other.tables.never = two.Name(there);
  two.other.feeds.Show(there, 3);
  Watching watching(two.fixture, anna, there);
  EXPECT_EQ(watching.NextRevision(), 3);
  absl::Status answer;
  std::atomic<bool> answered = false;
  std::thread call([&] {
    answer = two.fixture.GetTable(anna, two.Name(there), absl::Seconds(30));
    answered = true;
  });
  ASSERT_TRUE(two.fixture.Eventually([&] { return two.other.tables.gets == 1; }));
  two.fixture.rules.feeds.Show(there, 4);
  two.Tell({two.fixture.rules.address()});
  EXPECT_EQ(watching.NextRevision(), 4) << "The stream has not ended.";
  EXPECT_THAT(two.fixture.GetTable(anna, two.Name(there)), IsOk())
      << "The call goes to the new host.";
  EXPECT_TRUE(two.fixture.Eventually([&] { return answered.load(); }));
  call.join();
  EXPECT_THAT(answer, HasReason("SERVICE_AWAY"));
  EXPECT_TRUE(Eventually([&] { return two.other.feeds.wanted() == 0u; }));
  watching.context.TryCancel();
}

// This test finds errors of object lifetimes when clients disconnect. Run it under
// AddressSanitizer.
TEST(WireStreamTest, ClientsMayDisconnectAtAnyMoment) {
  GatewayFixture fixture([](Options& options) {
    options.calls_per_second = 1e6;
    options.call_burst = 1e6;
  });
  const std::string token = fixture.SignIn();
  fixture.tables.never = "tables/never";
  std::atomic<bool> stopping = false;
  std::thread play([&] {
    for (int revision = 1; !stopping; ++revision) {
      fixture.rules.feeds.Show(kTable, revision);
      if (revision % 500 == 0) fixture.rules.feeds.Drop();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      fixture.time.Advance(absl::Milliseconds(10));
    }
  });
  const auto abuse = [&](unsigned seed) {
    Rng rng(seed);
    for (int i = 0; i < 60; ++i) {
      grpc::ClientContext context;
      AddToken(context, token);
      std::thread killer([&, wait = rng.Below(3000)] {
        std::this_thread::sleep_for(std::chrono::microseconds(wait));
        context.TryCancel();
      });
      if (rng.Below(2) == 0) {
        rules::v1::GetTableRequest request;
        if (rng.Below(2) == 0) request.set_name(fixture.tables.never);
        rules::v1::GetTableResponse response;
        (void)fixture.stub->GetTable(&context, request, &response);
      } else {
        rules::v1::WatchTableRequest request;
        request.set_name(absl::StrCat("tables/", kTable.ToString()));
        auto reader = fixture.stub->WatchTable(&context, request);
        rules::v1::WatchTableResponse response;
        while (reader->Read(&response)) {
        }
        (void)reader->Finish();
      }
      killer.join();
    }
  };
  std::vector<std::thread> clients;
  for (unsigned seed = 1; seed <= 4; ++seed) clients.emplace_back(abuse, seed);
  for (std::thread& client : clients) client.join();
  stopping = true;
  play.join();
  EXPECT_TRUE(
      fixture.Eventually([&] { return fixture.Metric("tarot_gateway_streams_open") == 0; }));
  EXPECT_TRUE(fixture.Eventually([&] { return fixture.rules.feeds.wanted() == 0; }));
  EXPECT_THAT(fixture.GetTable(token), IsOk());
}

}  // namespace
}  // namespace tarot::gateway_service
