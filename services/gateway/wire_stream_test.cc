// Server streams on the real wire, and above all how they end.
#include <gmock/gmock.h>

#include <thread>

#include "absl/strings/str_cat.h"
#include "libs/rpc/channel.h"
#include "libs/status/wire.h"
#include "libs/testkit/status_matchers.h"
#include "services/gateway/testing_world.h"

namespace tarot::gateway {
namespace {

using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

rules::v1::WatchTableResponse View(int revision) {
  rules::v1::WatchTableResponse response;
  response.mutable_table()->set_revision(revision);
  return response;
}

// One open watch of a player.
struct Watching {
  Watching(World& world, const std::string& token) {
    AddToken(context, token);
    reader = world.stub->WatchTable(&context, {});
  }
  int NextRevision() {
    rules::v1::WatchTableResponse response;
    return reader->Read(&response) ? response.table().revision() : -1;
  }
  absl::Status Finish() { return status::FromGrpc(reader->Finish()); }

  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientReader<rules::v1::WatchTableResponse>> reader;
};

// Keeps the streams that the service opened.
struct Shows {
  explicit Shows(World& world) {
    world.tables.on_watch = [this](const std::shared_ptr<TableStream>& stream) {
      const std::lock_guard lock(mutex);
      streams.push_back(stream);
      stream->Offer(View(0));
    };
  }
  std::shared_ptr<TableStream> stream(std::size_t number) {
    const std::lock_guard lock(mutex);
    return streams.at(number);
  }
  std::mutex mutex;
  std::vector<std::shared_ptr<TableStream>> streams;
};

TEST(WireStreamTest, MessagesPassInOrderAndTheEndToo) {
  World world;
  Shows shows(world);
  Watching watching(world, world.SignIn("Anna"));
  for (int revision = 0; revision < 50; ++revision) {
    ASSERT_EQ(watching.NextRevision(), revision);
    shows.stream(0)->Offer(View(revision + 1));
  }
  EXPECT_EQ(world.tables.last_seen().caller.display_name, "Anna");
  EXPECT_EQ(world.Metric("tarot_gateway_streams_open"), 1);
  EXPECT_EQ(watching.NextRevision(), 50);
  shows.stream(0)->Close(absl::OkStatus());
  EXPECT_EQ(watching.NextRevision(), -1);
  EXPECT_THAT(watching.Finish(), IsOk());
  EXPECT_TRUE(Eventually([&] { return world.Metric("tarot_gateway_streams_open") == 0; }));
  EXPECT_EQ(world.Metric("grpc_server_msg_sent_total", "WatchTable"), 51);
}

TEST(WireStreamTest, AnErrorEndsItUnchanged) {
  World world;
  world.tables.on_watch = [](const std::shared_ptr<TableStream>& stream) {
    stream->Close(Error(absl::StatusCode::kNotFound, "TABLE_NOT_FOUND", "No such table."));
  };
  Watching watching(world, world.SignIn());
  EXPECT_EQ(watching.NextRevision(), -1);
  EXPECT_THAT(watching.Finish(), HasReason("TABLE_NOT_FOUND"));
}

TEST(WireStreamTest, CancellingReachesTheService) {
  World world;
  Shows shows(world);
  Watching watching(world, world.SignIn());
  ASSERT_EQ(watching.NextRevision(), 0);
  watching.context.TryCancel();
  EXPECT_THAT(watching.Finish(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_TRUE(Eventually([&] { return world.tables.ended_watches == 1; }));
  EXPECT_TRUE(Eventually([&] { return world.Metric("tarot_gateway_streams_open") == 0; }));
}

TEST(WireStreamTest, APlayerHasAFewStreamsAndNoMore) {
  World world([](Options& options) { options.streams_per_player_max = 2; });
  Shows shows(world);
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
  EXPECT_TRUE(Eventually([&] { return world.Metric("tarot_gateway_streams_open") == 1; }));
  Watching again(world, anna);
  EXPECT_EQ(again.NextRevision(), 0);
  first.context.TryCancel();
  again.context.TryCancel();
}

TEST(WireStreamTest, AClientThatDoesNotReadHoldsTheServiceBack) {
  World world;
  Shows shows(world);
  Watching watching(world, world.SignIn());
  ASSERT_EQ(watching.NextRevision(), 0);
  rules::v1::WatchTableResponse big = View(1);
  big.mutable_table()->set_name(std::string(1 << 20, 'x'));
  // The fake keeps only the newest view, so what is lost between shows where the others wait.
  for (int revision = 1; revision <= 200; ++revision) {
    big.mutable_table()->set_revision(revision);
    shows.stream(0)->Offer(big);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const double sent = world.Metric("grpc_client_msg_received_total", "WatchTable");
  EXPECT_LT(sent, 20) << "The gateway took what its client does not read.";
  int last = 0;
  while (last != 200) last = watching.NextRevision();
  watching.context.TryCancel();
}

TEST(WireStreamTest, AServiceThatStopsLooksAwayNotCancelled) {
  World world;
  Shows shows(world);
  Watching watching(world, world.SignIn());
  ASSERT_EQ(watching.NextRevision(), 0);
  world.StopBackend();
  EXPECT_EQ(watching.NextRevision(), -1);
  EXPECT_THAT(watching.Finish(), HasReason("SERVICE_AWAY"));
}

TEST(WireStreamTest, AGatewayThatStopsSendsItsWatchersAwayAtOnce) {
  World world;
  Shows shows(world);
  Watching watching(world, world.SignIn());
  ASSERT_EQ(watching.NextRevision(), 0);
  std::thread stopping([&] { world.gateway->Shutdown(); });
  EXPECT_EQ(watching.NextRevision(), -1);
  EXPECT_THAT(watching.Finish(), HasReason("SERVICE_AWAY"));
  stopping.join();
}

// Lifetime bugs hide in disconnects: run it under ASan.
TEST(WireStreamTest, ClientsMayVanishAtAnyMoment) {
  World world([](Options& options) { options.call_limit = {.per_second = 1e6, .burst = 1e6}; });
  Shows shows(world);
  const std::string token = world.SignIn();
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
        if (rng.Below(2) == 0) request.set_name(FakeTables::kNever);
        rules::v1::GetTableResponse response;
        (void)world.stub->GetTable(&context, request, &response);
      } else {
        auto reader = world.stub->WatchTable(&context, {});
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
  EXPECT_TRUE(Eventually([&] { return world.Metric("tarot_gateway_streams_open") == 0; }));
  EXPECT_THAT(world.GetTable(token), IsOk());
}

}  // namespace
}  // namespace tarot::gateway
