// Tests the state machine of server streams without gRPC. Also run this test under AddressSanitizer
// and ThreadSanitizer. watch_stream_test.cc uses the same classes with a real server.
#include "libs/rpc/server_stream.h"

#include <gmock/gmock.h>
#include <prometheus/registry.h>

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "libs/base/rng.h"
#include "libs/rpc/testing/fake_reactors.h"
#include "libs/rpc/watch_stream.h"

namespace tarot::rpc {
namespace {

using testing::ElementsAre;
using testing::Optional;

using Fake = FakeServerReactor<int, int>;
using Latest = WatchStream<int, Fake>;

MethodMetrics TestMetrics() {
  static prometheus::Registry& registry = *new prometheus::Registry;
  static CallMetrics& calls = *new CallMetrics(Side::kServer, registry);
  return calls.Method("tarot.test.Service/Stream");
}

// A stream that answers each request with its double, in order.
class Doubler final : public ServerBidiStream<int, int, Fake> {
 public:
  static std::shared_ptr<Doubler> Open(bool later = false) {
    const std::shared_ptr<Doubler> stream(new Doubler(later));
    stream->Begin();
    return stream;
  }

  // Handles a request that OnRequest left for later.
  void Handle() {
    {
      const std::lock_guard lock(mutex());
      waiting_.push_back(2 * request_);
    }
    ReadNext();
  }
  void Promise() { Set(1); }
  void Fulfil(int value) {
    {
      const std::lock_guard lock(mutex());
      waiting_.push_back(value);
    }
    Set(0);
  }
  bool over() const { return over_; }

 private:
  explicit Doubler(bool later) : ServerBidiStream(TestMetrics()), later_(later) {}

  void Set(int promised) {
    {
      const std::lock_guard lock(mutex());
      promised_ = promised;
    }
    Advance();
  }
  bool OnRequest(int& request) override {
    request_ = request;
    if (!later_) Handle();
    return false;
  }
  void OnRequestsDone() override { Close(absl::OkStatus()); }
  bool MayReadLocked() const override { return waiting_.size() < 2; }
  bool TakeLocked() override {
    if (waiting_.empty()) return false;
    taken_ = waiting_.front();
    waiting_.pop_front();
    return true;
  }
  void Fill(int& response) override { response = taken_; }
  void DropLocked() override { waiting_.clear(); }
  bool MayEndLocked() override { return promised_ == 0; }
  void OnOver() override { over_ = true; }

  const bool later_;
  int request_ = 0;
  int taken_ = 0;
  int promised_ = 0;
  std::deque<int> waiting_;
  std::atomic<bool> over_ = false;
};

// Cancels the call and completes its operations, so that the stream destroys itself.
template <typename Stream>
void Abandon(Stream& stream) {
  stream.Cancel();
  stream.TakeWrite(false);
  EXPECT_TRUE(stream.End());
}

TEST(WatchStreamStateTest, SendsTheNewestValueWhenAWriteIsOver) {
  const auto stream = Latest::Create(TestMetrics());
  for (const int value : {9, 8, 7, 6}) stream->Offer(value);
  EXPECT_THAT(stream->TakeWrite(), Optional(9)) << "The value 9 was in flight already.";
  EXPECT_THAT(stream->TakeWrite(), Optional(6));
  EXPECT_EQ(stream->TakeWrite(), std::nullopt);
  Abandon(*stream);
}

TEST(WatchStreamStateTest, WritesOnceAtTheEndOfABatch) {
  const auto stream = Latest::Create(TestMetrics());
  {
    const WriteBatch batch;
    for (const int value : {9, 8, 7}) stream->Offer(value);
    EXPECT_EQ(stream->TakeWrite(), std::nullopt);
  }
  EXPECT_THAT(stream->TakeWrite(), Optional(7));
  EXPECT_EQ(stream->TakeWrite(), std::nullopt);
  Abandon(*stream);
}

TEST(WatchStreamStateTest, CloseInABatchEndsTheStreamAfterTheBatch) {
  auto stream = Latest::Create(TestMetrics());
  Latest* const raw = stream.get();
  {
    const WriteBatch batch;
    stream->Close(absl::OkStatus());
    stream.reset();
    EXPECT_FALSE(raw->End());
  }
  EXPECT_TRUE(raw->End());
}

TEST(WatchStreamStateTest, CloseSendsTheValueThatWaitsAndIgnoresLaterOnes) {
  const auto stream = Latest::Create(TestMetrics());
  stream->Offer(1);
  stream->Offer(2);
  stream->Close(absl::NotFoundError("deleted"));
  stream->Offer(3);
  stream->Close(absl::OkStatus());
  EXPECT_THAT(stream->TakeWrite(), Optional(1));
  EXPECT_THAT(stream->TakeWrite(), Optional(2));
  EXPECT_EQ(stream->TakeWrite(), std::nullopt);
  const auto end = stream->End();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST(WatchStreamStateTest, CloseNowDropsTheValueThatWaits) {
  const auto stream = Latest::Create(TestMetrics());
  stream->Offer(1);
  stream->Offer(2);
  stream->CloseNow(absl::UnavailableError("stopping"));
  EXPECT_FALSE(stream->End()) << "A write is in flight.";
  EXPECT_THAT(stream->TakeWrite(), Optional(1));
  EXPECT_EQ(stream->TakeWrite(), std::nullopt);
  EXPECT_TRUE(stream->End());
}

TEST(WatchStreamStateTest, ACancelledCallEndsWithoutFurtherWrites) {
  const auto stream = Latest::Create(TestMetrics());
  stream->Offer(1);
  stream->Offer(2);
  stream->Cancel();
  EXPECT_THAT(stream->TakeWrite(false), Optional(1));
  EXPECT_EQ(stream->TakeWrite(), std::nullopt);
  const auto end = stream->End();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->error_code(), grpc::StatusCode::CANCELLED);
}

TEST(WatchStreamStateTest, AFailedWriteEndsTheStream) {
  const auto stream = Latest::Create(TestMetrics());
  stream->Offer(1);
  stream->Offer(2);
  EXPECT_TRUE(stream->TakeWrite(false));
  EXPECT_EQ(stream->TakeWrite(), std::nullopt);
  EXPECT_TRUE(stream->End());
}

TEST(WatchStreamStateTest, KeepsItselfAliveUntilTheEndAndRunsOnDoneOnce) {
  int ends = 0;
  auto stream = Latest::Create(TestMetrics());
  stream->set_on_done([&] { ++ends; });
  stream->Offer(1);
  const std::weak_ptr<Latest> weak = stream;
  Latest* const raw = stream.get();
  stream.reset();
  ASSERT_FALSE(weak.expired());
  raw->Close(absl::OkStatus());
  EXPECT_TRUE(raw->TakeWrite());
  EXPECT_TRUE(raw->End());
  EXPECT_EQ(ends, 1);
  EXPECT_TRUE(weak.expired());
}

TEST(ServerBidiStreamTest, AnswersRequestsInOrder) {
  const auto stream = Doubler::Open();
  EXPECT_TRUE(stream->GiveRead(1));
  EXPECT_TRUE(stream->GiveRead(2));
  EXPECT_THAT(stream->TakeWrite(), Optional(2));
  EXPECT_THAT(stream->TakeWrite(), Optional(4));
  EXPECT_TRUE(stream->GiveRead(std::nullopt));
  const auto end = stream->End();
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->ok());
  EXPECT_TRUE(stream->over());
}

TEST(ServerBidiStreamTest, ReadsTheNextRequestAfterTheOneBeforeIsHandled) {
  const auto stream = Doubler::Open(/*later=*/true);
  EXPECT_TRUE(stream->GiveRead(1));
  EXPECT_FALSE(stream->reading());
  stream->Handle();
  EXPECT_TRUE(stream->reading());
  Abandon(*stream);
}

TEST(ServerBidiStreamTest, ReadsNoMoreWhileTooManyAnswersWait) {
  const auto stream = Doubler::Open();
  for (int request = 1; request <= 3; ++request) EXPECT_TRUE(stream->GiveRead(request));
  EXPECT_FALSE(stream->reading()) << "One answer is in flight, and two wait.";
  EXPECT_TRUE(stream->TakeWrite());
  EXPECT_TRUE(stream->reading());
  Abandon(*stream);
}

TEST(ServerBidiStreamTest, IgnoresRequestsAfterClose) {
  const auto stream = Doubler::Open();
  stream->Close(absl::PermissionDeniedError("not a service"));
  EXPECT_TRUE(stream->GiveRead(1));
  EXPECT_EQ(stream->TakeWrite(), std::nullopt);
  EXPECT_FALSE(stream->reading());
  EXPECT_TRUE(stream->End());
}

TEST(ServerBidiStreamTest, EndsWhenTheLastPromisedMessageIsWritten) {
  const auto stream = Doubler::Open();
  stream->Promise();
  EXPECT_TRUE(stream->GiveRead(std::nullopt));
  EXPECT_FALSE(stream->End());
  stream->Fulfil(7);
  EXPECT_THAT(stream->TakeWrite(), Optional(7));
  EXPECT_TRUE(stream->End());
}

TEST(ServerBidiStreamTest, ALostClientEndsTheStreamBeforeThePromisedMessages) {
  const auto stream = Doubler::Open();
  stream->Promise();
  stream->Cancel();
  EXPECT_TRUE(stream->End());
  stream->Fulfil(7);  // Does nothing.
}

// One thread acts as gRPC. Two other threads offer values. Then each of them closes the stream with
// a probability of two thirds.
TEST(WatchStreamStateTest, EndsOnceForEveryOrderOfEvents) {
  constexpr int kStreams = 500;
  std::atomic<int> ends = 0;
  for (int n = 0; n < kStreams; ++n) {
    auto stream = Latest::Create(TestMetrics());
    stream->set_on_done([&] { ++ends; });
    const auto offer = [&stream, n](std::uint64_t seed) {
      Rng rng(seed + static_cast<std::uint64_t>(n));
      for (int i = 0; i < 20; ++i) stream->Offer(i);
      if (rng.Below(3) != 0) stream->Close(absl::OkStatus());
    };
    std::jthread first([&] { offer(1000); });
    std::jthread second([&] { offer(2000); });
    Rng rng(static_cast<std::uint64_t>(n));
    bool cancelled = false;
    int newest = -1;
    for (int turn = 0;; ++turn) {
      const bool ok = !cancelled;
      if (const std::optional<int> value = stream->TakeWrite(ok); value && ok) newest = *value;
      if (!cancelled && (rng.Below(200) == 0 || turn > 2000)) {
        cancelled = true;
        stream->Cancel();
      }
      if (stream->End()) break;
      if (turn % 8 == 0) std::this_thread::yield();
    }
    EXPECT_LE(newest, 19);
  }
  EXPECT_EQ(ends, kStreams);
}

}  // namespace
}  // namespace tarot::rpc
