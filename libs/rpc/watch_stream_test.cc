#include "libs/rpc/watch_stream.h"

#include <prometheus/text_serializer.h>

#include <atomic>
#include <latch>
#include <set>
#include <thread>
#include <vector>

#include "libs/base/rng.h"
#include "libs/rpc/testing/testing_server.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::rpc {
namespace {

using matchmaking::v1::WatchTicketResponse;
using testing::HasSubstr;
using testkit::StatusIs;

WatchTicketResponse Position(std::uint32_t position) {
  WatchTicketResponse response;
  response.mutable_ticket()->set_position(position);
  return response;
}

// A client with one WatchTicket stream.
struct Watcher {
  explicit Watcher(TestingServer& server) : reader(server.stub->WatchTicket(&context, {})) {}

  // Reads everything until the stream ends.
  std::vector<std::uint32_t> ReadAll() {
    std::vector<std::uint32_t> positions;
    for (WatchTicketResponse response; reader->Read(&response);) {
      positions.push_back(response.ticket().position());
    }
    return positions;
  }

  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientReader<WatchTicketResponse>> reader;
};

// Waits until the stream is destroyed, a moment after on_done. If it is never destroyed, the test
// hangs.
void WaitForEnd(const std::weak_ptr<TicketStream>& stream) {
  while (!stream.expired()) std::this_thread::yield();
}

class WatchStreamTest : public testing::Test {
 protected:
  std::string Metrics() {
    return prometheus::TextSerializer().Serialize(server_.registry.Collect());
  }

  ThreadWorkerPool workers_{2, 1000};
  TestingServer server_{workers_, {.drain_timeout = absl::Milliseconds(200)}};
};

TEST_F(WatchStreamTest, ANewerValueReplacesOneThatWaits) {
  server_.service.on_watch = [](const std::shared_ptr<TicketStream>& stream) {
    for (const std::uint32_t position : {9u, 8u, 7u, 6u}) stream->Offer(Position(position));
    stream->Close(absl::NotFoundError("deleted"));
    stream->Offer(Position(1));
    stream->Close(absl::OkStatus());
  };
  Watcher watcher(server_);
  // The stream was already writing the value 9 when the other values came.
  EXPECT_THAT(watcher.ReadAll(), testing::ElementsAre(9, 6));
  EXPECT_THAT(status::FromGrpc(watcher.reader->Finish()), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(WatchStreamTest, AWorkerMayOfferLater) {
  std::latch done(1);
  server_.service.on_watch = [&](const std::shared_ptr<TicketStream>& stream) {
    stream->set_on_done([&] { done.count_down(); });
    ASSERT_TRUE(workers_.TryRun([stream] {
      stream->Offer(Position(3));
      stream->Close(absl::OkStatus());
    }));
  };
  Watcher watcher(server_);
  EXPECT_THAT(watcher.ReadAll(), testing::ElementsAre(3));
  EXPECT_TRUE(watcher.reader->Finish().ok());
  done.wait();
  EXPECT_THAT(Metrics(), HasSubstr("msg_sent_total{grpc_method=\"WatchTicket\""));
}

TEST_F(WatchStreamTest, EndsWhenTheClientLeaves) {
  std::latch done(1);
  std::shared_ptr<TicketStream> kept;
  server_.service.on_watch = [&](const std::shared_ptr<TicketStream>& stream) {
    kept = stream;
    stream->set_on_done([&] { done.count_down(); });
    stream->Offer(Position(5));
  };
  {
    Watcher watcher(server_);
    WatchTicketResponse response;
    ASSERT_TRUE(watcher.reader->Read(&response));
    watcher.context.TryCancel();
    watcher.reader->Finish();
  }
  done.wait();
  kept->Offer(Position(4));
  kept->Close(absl::OkStatus());
  EXPECT_THAT(Metrics(),
              HasSubstr("handled_total{grpc_code=\"Canceled\",grpc_method=\"WatchTicket\""));
  const std::weak_ptr<TicketStream> weak = kept;
  kept.reset();
  WaitForEnd(weak);
}

TEST_F(WatchStreamTest, ShutdownCutsStreamsAfterTheDrain) {
  std::latch done(1);
  server_.service.on_watch = [&](const std::shared_ptr<TicketStream>& stream) {
    stream->set_on_done([&] { done.count_down(); });
    stream->Offer(Position(5));
  };
  Watcher watcher(server_);
  WatchTicketResponse response;
  ASSERT_TRUE(watcher.reader->Read(&response));
  server_.server->Shutdown();
  done.wait();
  EXPECT_FALSE(watcher.reader->Finish().ok());
}

// Clients open and abort streams at any moment, while two threads offer values and close streams.
// Every stream must end once and be destroyed. Run this test under AddressSanitizer.
TEST_F(WatchStreamTest, SurvivesManyClientsThatAbort) {
  std::mutex mutex;
  std::set<std::shared_ptr<TicketStream>> open;
  std::vector<std::weak_ptr<TicketStream>> all;
  std::atomic<int> started = 0;
  std::atomic<int> ended = 0;
  server_.service.on_watch = [&](const std::shared_ptr<TicketStream>& stream) {
    ++started;
    stream->set_on_done([&, key = stream.get()] {
      const std::lock_guard lock(mutex);
      std::erase_if(open, [key](const auto& watcher) { return watcher.get() == key; });
      ++ended;
    });
    const std::lock_guard lock(mutex);
    open.insert(stream);
    all.push_back(stream);
  };
  std::atomic<bool> stop = false;
  const auto publish = [&](std::uint64_t seed) {
    for (Rng rng(seed); !stop;) {
      std::vector<std::shared_ptr<TicketStream>> watchers;
      {
        const std::lock_guard lock(mutex);
        watchers.assign(open.begin(), open.end());
      }
      for (const auto& watcher : watchers) {
        watcher->Offer(Position(1));
        if (rng.Below(20) == 0) watcher->Close(absl::OkStatus());
      }
      std::this_thread::yield();
    }
  };
  const auto watch = [&](std::uint64_t seed) {
    Rng rng(seed);
    for (int n = 0; n < 150; ++n) {
      Watcher watcher(server_);
      WatchTicketResponse response;
      for (int reads = rng.Below(4); reads > 0 && watcher.reader->Read(&response); --reads) {
      }
      watcher.context.TryCancel();
      watcher.reader->Finish();
    }
  };
  std::vector<std::jthread> publishers;
  for (std::uint64_t seed = 0; seed < 2; ++seed) publishers.emplace_back(publish, seed);
  {
    std::vector<std::jthread> clients;
    for (std::uint64_t seed = 10; seed < 16; ++seed) clients.emplace_back(watch, seed);
  }
  server_.server->Shutdown();
  stop = true;
  publishers.clear();
  EXPECT_GT(started, 0);
  EXPECT_EQ(started, ended);
  for (const auto& stream : all) WaitForEnd(stream);
}

}  // namespace
}  // namespace tarot::rpc
