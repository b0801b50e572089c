// Tests watch streams on the real wire: what they show, and how they end.
#include <gmock/gmock.h>

#include <thread>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/cluster/rendezvous.h"
#include "libs/rpc/call.h"
#include "libs/status/wire.h"
#include "libs/testkit/status_matchers.h"
#include "services/gateway/testing/world.h"

namespace tarot::gateway_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

const TableId kTable = *TableId::Parse("00000000-0000-4000-8000-000000000001");

// An open watch of one player.
struct Watching {
  Watching(World& world, const std::string& token, TableId table = kTable, int after = -1) {
    AddToken(context, token);
    rpc::SetTimeout(context, absl::Seconds(30));
    rules::v1::WatchTableRequest request;
    request.set_name(absl::StrCat("tables/", table.ToString()));
    if (after >= 0) request.set_after_revision(after);
    reader = world.stub->WatchTable(&context, request);
  }
  int NextRevision() { return reader->Read(&response) ? response.table().revision() : -1; }
  absl::Status Finish() { return status::FromGrpc(reader->Finish()); }

  grpc::ClientContext context;
  rules::v1::WatchTableResponse response;
  std::unique_ptr<grpc::ClientReader<rules::v1::WatchTableResponse>> reader;
};

TEST(WireStreamTest, ShowsEveryViewAndTheEndOfTheMatch) {
  World world;
  Watching watching(world, world.SignIn("Anna"));
  for (int revision = 0; revision < 50; ++revision) {
    ASSERT_EQ(watching.NextRevision(), revision);
    world.rules.feeds.Show(kTable, revision + 1);
  }
  EXPECT_EQ(world.Metric("tarot_gateway_streams_open"), 1);
  EXPECT_EQ(world.Metric("tarot_gateway_tables_open"), 1);
  EXPECT_EQ(watching.NextRevision(), 50);
  world.rules.feeds.End(kTable, absl::OkStatus());
  EXPECT_EQ(watching.NextRevision(), -1);
  EXPECT_THAT(watching.Finish(), IsOk());
  EXPECT_TRUE(world.Eventually([&] { return world.Metric("tarot_gateway_streams_open") == 0; }));
  EXPECT_EQ(world.Metric("tarot_gateway_tables_open"), 0);
  EXPECT_EQ(world.Metric("grpc_server_msg_sent_total", "WatchTable"), 51);
  EXPECT_EQ(world.Metric("tarot_gateway_frames_total", "sent"), 51);
}

TEST(WireStreamTest, ShowsASeatsOwnPartToItsPlayerOnly) {
  World world;
  const std::vector<std::string> names = {"Anna", "Bela", "Cleo"};
  std::vector<std::string> tokens;
  std::vector<FakeFeeds::Own> owns;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    tokens.push_back(world.SignIn(names[i]));
    ASSERT_THAT(world.GetTable(tokens.back()), IsOk());
    rules::v1::Table own;
    own.mutable_deal()->add_hand(i + 1);
    owns.push_back({world.tables.last_seen().caller.player, own.SerializeAsString()});
  }
  owns.pop_back();  // The third player does not sit at the table.
  std::vector<std::unique_ptr<Watching>> watching;
  for (const std::string& token : tokens) {
    watching.push_back(std::make_unique<Watching>(world, token));
  }
  // The order of the seats does not matter.
  for (int revision = 1; revision <= 20; ++revision) {
    std::swap(owns[0], owns[1]);
    world.rules.feeds.Show(kTable, revision, owns);
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
  EXPECT_EQ(world.rules.feeds.wanted(), 1u) << "One subscription, however many watch.";
  for (const auto& player : watching) player->context.TryCancel();
}

TEST(WireStreamTest, SendsNothingThatTheClientHas) {
  World world;
  world.rules.feeds.Show(kTable, 5);
  Watching watching(world, world.SignIn(), kTable, 5);
  ASSERT_TRUE(world.Eventually([&] { return world.rules.feeds.wanted() == 1; }));
  world.rules.feeds.Show(kTable, 6);
  EXPECT_EQ(watching.NextRevision(), 6);
  watching.context.TryCancel();
}

TEST(WireStreamTest, ShowsARestartedClockAtOnce) {
  World world;
  rules::v1::Table table;
  table.set_revision(5);
  table.mutable_turn_expire_time()->set_seconds(10);
  world.rules.feeds.ShowBytes(kTable, 5, table.SerializeAsString());
  Watching watching(world, world.SignIn());
  ASSERT_EQ(watching.NextRevision(), 5);
  table.mutable_turn_expire_time()->set_seconds(30);
  world.rules.feeds.ShowBytes(kTable, 5, table.SerializeAsString());
  ASSERT_EQ(watching.NextRevision(), 5);
  EXPECT_EQ(watching.response.table().turn_expire_time().seconds(), 30);
  watching.context.TryCancel();
}

TEST(WireStreamTest, PassesAnErrorOfTheServiceUnchanged) {
  World world;
  world.rules.feeds.End(kTable,
                        Error(absl::StatusCode::kNotFound, "TABLE_NOT_FOUND", "No such table."));
  Watching watching(world, world.SignIn());
  EXPECT_EQ(watching.NextRevision(), -1);
  EXPECT_THAT(watching.Finish(), HasReason("TABLE_NOT_FOUND"));
}

TEST(WireStreamTest, RefusesABadTableName) {
  World world;
  grpc::ClientContext context;
  AddToken(context, world.SignIn());
  rules::v1::WatchTableRequest request;
  request.set_name("tables/1");
  const auto reader = world.stub->WatchTable(&context, request);
  rules::v1::WatchTableResponse response;
  EXPECT_FALSE(reader->Read(&response));
  const absl::Status refused = status::FromGrpc(reader->Finish());
  EXPECT_THAT(refused, HasReason("BAD_REQUEST"));
  EXPECT_EQ(GetErrorDetails(refused).metadata.at("field"), "name");
}

TEST(WireStreamTest, CancellationEndsTheSubscription) {
  World world;
  Watching watching(world, world.SignIn());
  ASSERT_EQ(watching.NextRevision(), 0);
  EXPECT_EQ(world.rules.feeds.wanted(), 1u);
  watching.context.TryCancel();
  EXPECT_THAT(watching.Finish(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_TRUE(world.Eventually([&] { return world.rules.feeds.wanted() == 0; }));
  EXPECT_TRUE(world.Eventually([&] { return world.Metric("tarot_gateway_streams_open") == 0; }));
}

TEST(WireStreamTest, LimitsTheStreamsOfAPlayer) {
  World world([](Options& options) { options.streams_per_player_max = 2; });
  const std::string anna = world.SignIn("Anna");
  Watching first(world, anna);
  ASSERT_EQ(first.NextRevision(), 0);
  {
    Watching second(world, anna);
    ASSERT_EQ(second.NextRevision(), 0);
    Watching third(world, anna);
    EXPECT_EQ(third.NextRevision(), -1);
    EXPECT_THAT(third.Finish(), HasReason("RATE_LIMITED"));
    EXPECT_EQ(world.Metric("tarot_gateway_rate_limited_total", "streams"), 1);
    EXPECT_THAT(world.GetTable(anna), IsOk()) << "Unary calls need no slot.";
    Watching bela(world, world.SignIn("Bela"));
    EXPECT_EQ(bela.NextRevision(), 0);
    bela.context.TryCancel();
    second.context.TryCancel();
  }
  EXPECT_TRUE(world.Eventually([&] { return world.Metric("tarot_gateway_streams_open") == 1; }));
  Watching again(world, anna);
  EXPECT_EQ(again.NextRevision(), 0);
  first.context.TryCancel();
  again.context.TryCancel();
}

TEST(WireStreamTest, AClientThatDoesNotReadGetsTheNewestViewLater) {
  World world;
  Watching watching(world, world.SignIn());
  ASSERT_EQ(watching.NextRevision(), 0);
  const auto frames = [&](const std::string& outcome) {
    return world.Metric("tarot_gateway_frames_total", outcome);
  };
  constexpr int kLast = 100;
  for (int revision = 1; revision <= kLast; ++revision) {
    rules::v1::Table big;
    big.set_name(std::string(1 << 20, 'x'));
    big.set_revision(revision);
    world.rules.feeds.ShowBytes(kTable, revision, big.SerializeAsString());
    // Newer frames replaced every frame before the newest, except those in flight.
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
  World world;
  Watching watching(world, world.SignIn());
  ASSERT_EQ(watching.NextRevision(), 0);
  world.rules.feeds.Show(kTable, 1);
  ASSERT_EQ(watching.NextRevision(), 1);
  world.rules.Stop();
  world.rules.feeds.Show(kTable, 2);
  world.rules.Start();
  ASSERT_TRUE(world.Eventually([&] { return world.rules.feeds.wanted() == 1; }));
  EXPECT_EQ(watching.NextRevision(), 2);
  EXPECT_GE(world.Metric("tarot_gateway_feeds_lost_total"), 1);
  watching.context.TryCancel();
}

TEST(WireStreamTest, ReopensASilentFeed) {
  World world;
  Watching watching(world, world.SignIn());
  ASSERT_EQ(watching.NextRevision(), 0);
  ASSERT_EQ(world.rules.feeds.opened, 1);
  world.rules.feeds.mute = true;
  world.time.Advance(absl::Seconds(4));
  EXPECT_TRUE(world.Eventually([&] { return world.rules.feeds.opened >= 2; }));
  watching.context.TryCancel();
}

TEST(WireStreamTest, EndsWithServiceAwayWhenNoReplicaAnswers) {
  World world;
  Watching watching(world, world.SignIn());
  ASSERT_EQ(watching.NextRevision(), 0);
  world.rules.Stop();
  std::thread clock([&] {
    (void)world.Eventually([&] { return world.Metric("tarot_gateway_streams_open") == 0; });
  });
  EXPECT_EQ(watching.NextRevision(), -1);
  EXPECT_THAT(watching.Finish(), HasReason("SERVICE_AWAY"));
  clock.join();
}

TEST(WireStreamTest, ShutdownEndsStreamsAtOnce) {
  World world;
  Watching watching(world, world.SignIn());
  ASSERT_EQ(watching.NextRevision(), 0);
  std::thread stopping([&] { world.gateway->Shutdown(); });
  EXPECT_EQ(watching.NextRevision(), -1);
  EXPECT_THAT(watching.Finish(), HasReason("SERVICE_AWAY"));
  stopping.join();
}

TEST(WireStreamTest, AGatewayThatCannotListenFreesEverything) {
  World world;
  ASSERT_TRUE(world.Eventually([&] { return world.rules.feeds.opened == 1; }));
  const auto second = world.StartGateway(absl::StrCat("127.0.0.1:", world.gateway->port()));
  EXPECT_THAT(second.status(), HasReason("ADDRESS_TAKEN"));
  world.time.Advance(absl::Seconds(2));  // It has left no timers behind.
  EXPECT_THAT(world.GetTable(world.SignIn()), IsOk());
}

// Two replicas of rules. Their list decides which of them hosts a table.
struct TwoReplicas {
  TwoReplicas() { Tell({world.rules.address(), other.address()}); }

  void Tell(const std::vector<std::string>& addresses) {
    const auto heard = [&] {
      world.rules.nodes.Tell(addresses);
      return world.Metric("tarot_gateway_rules_nodes") == static_cast<double>(addresses.size());
    };
    TAROT_CHECK(world.Eventually(heard));
  }
  // Returns a table that `replica` hosts when both are in the list.
  TableId TableOf(const FakeReplica& replica) {
    while (true) {
      const TableId table{entropy.NewUuid()};
      if (cluster::HostOf(table.uuid, {world.rules.address(), other.address()}) ==
          replica.address()) {
        return table;
      }
    }
  }
  std::string Name(TableId table) { return absl::StrCat("tables/", table.ToString()); }

  SeededEntropy entropy{1};
  World world;
  FakeReplica other{world.time};
};

TEST(WireStreamTest, CallsAndViewsUseTheTablesHost) {
  TwoReplicas two;
  const std::string anna = two.world.SignIn();
  const TableId here = two.TableOf(two.world.rules);
  const TableId there = two.TableOf(two.other);
  two.other.feeds.Show(there, 3);
  Watching watching(two.world, anna, there);
  EXPECT_EQ(watching.NextRevision(), 3);
  for (int i = 0; i < 4; ++i) EXPECT_THAT(two.world.GetTable(anna, two.Name(there)), IsOk());
  EXPECT_EQ(two.other.tables.gets, 4);
  EXPECT_EQ(two.world.rules.tables.gets, 0);
  EXPECT_THAT(two.world.GetTable(anna, two.Name(here)), IsOk());
  EXPECT_EQ(two.world.rules.tables.gets, 1);
  watching.context.TryCancel();
}

// Perhaps only this gateway cannot reach the host.
TEST(WireStreamTest, CallsUseAnotherReplicaWhileTheHostIsSilent) {
  TwoReplicas two;
  const std::string anna = two.world.SignIn();
  const std::string there = two.Name(two.TableOf(two.other));
  const auto asked = [&](const FakeReplica& replica) {
    return [&] {
      const int before = replica.tables.gets;
      return two.world.GetTable(anna, there).ok() && replica.tables.gets > before;
    };
  };
  EXPECT_TRUE(two.world.Eventually(asked(two.other)));
  two.other.feeds.mute = true;
  EXPECT_TRUE(two.world.Eventually(asked(two.world.rules)));
  two.other.feeds.mute = false;
  EXPECT_TRUE(two.world.Eventually(asked(two.other)));
}

TEST(WireStreamTest, CallsInFlightToAReplicaThatLeftEndSoon) {
  TwoReplicas two;
  const std::string anna = two.world.SignIn();
  const TableId there = two.TableOf(two.other);
  two.other.tables.never = two.Name(there);
  two.other.feeds.Show(there, 3);
  Watching watching(two.world, anna, there);
  EXPECT_EQ(watching.NextRevision(), 3);
  absl::Status answer;
  std::thread call([&] { answer = two.world.GetTable(anna, two.Name(there), absl::Seconds(30)); });
  ASSERT_TRUE(two.world.Eventually([&] { return two.other.tables.gets == 1; }));
  two.world.rules.feeds.Show(there, 4);
  two.Tell({two.world.rules.address()});
  EXPECT_EQ(watching.NextRevision(), 4) << "The stream has never noticed.";
  EXPECT_THAT(two.world.GetTable(anna, two.Name(there)), IsOk()) << "At the new host.";
  two.world.time.Advance(absl::Seconds(1));
  call.join();
  EXPECT_THAT(answer, HasReason("SERVICE_AWAY"));
  EXPECT_EQ(two.other.feeds.wanted(), 0u);
  watching.context.TryCancel();
}

// This test finds lifetime bugs in disconnects. Run it under AddressSanitizer.
TEST(WireStreamTest, ClientsMayDisconnectAtAnyMoment) {
  World world([](Options& options) {
    options.calls_per_second = 1e6;
    options.call_burst = 1e6;
  });
  const std::string token = world.SignIn();
  world.tables.never = "tables/never";
  std::atomic<bool> stopping = false;
  std::thread play([&] {
    for (int revision = 1; !stopping; ++revision) {
      world.rules.feeds.Show(kTable, revision);
      if (revision % 500 == 0) world.rules.feeds.Drop();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      world.time.Advance(absl::Milliseconds(10));
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
        if (rng.Below(2) == 0) request.set_name(world.tables.never);
        rules::v1::GetTableResponse response;
        (void)world.stub->GetTable(&context, request, &response);
      } else {
        rules::v1::WatchTableRequest request;
        request.set_name(absl::StrCat("tables/", kTable.ToString()));
        auto reader = world.stub->WatchTable(&context, request);
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
  EXPECT_TRUE(world.Eventually([&] { return world.Metric("tarot_gateway_streams_open") == 0; }));
  EXPECT_TRUE(world.Eventually([&] { return world.rules.feeds.wanted() == 0; }));
  EXPECT_THAT(world.GetTable(token), IsOk());
}

}  // namespace
}  // namespace tarot::gateway_service
