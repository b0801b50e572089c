// Tests the state machine of client streams without gRPC. Also run this test under AddressSanitizer
// and ThreadSanitizer. The tests of libs/client and of the gateway use the same classes with real
// servers.
#include "libs/rpc/client_stream.h"

#include <gmock/gmock.h>

#include <atomic>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "libs/base/rng.h"
#include "libs/rpc/testing/fake_reactors.h"
#include "libs/testkit/manual_time.h"

namespace tarot::rpc {
namespace {

using testing::ElementsAre;
using testing::Optional;

using Fake = FakeClientReactor<int, int>;

constexpr absl::Duration kDelay = absl::Milliseconds(200);
const grpc::Status kAway(grpc::StatusCode::UNAVAILABLE, "away");

// A stream that sends the messages of the test, and keeps the messages that it gets.
class Chat final : public ClientBidiStream<int, int, Fake> {
 public:
  explicit Chat(Scheduler& scheduler) : ClientBidiStream(scheduler, std::nullopt) {}

  void Say(int value) {
    const std::lock_guard lock(mutex());
    waiting_.push_back(value);
    AdvanceLocked();
  }
  void Leave() {
    const std::lock_guard lock(mutex());
    leaving_ = true;
    AdvanceLocked();
  }
  void Tick() {
    const std::lock_guard lock(mutex());
    TickLocked(3);
  }
  std::vector<int> heard_values() {
    const std::lock_guard lock(mutex());
    return read_;
  }
  int silent() const { return silent_ticks(); }
  bool has_heard() const { return heard(); }

  int calls_bound = 0;
  std::vector<int> failures;
  bool give_up = false;

 private:
  void BindLocked(grpc::ClientContext&) override { ++calls_bound; }
  void OnMessage(int& value) override {
    const std::lock_guard lock(mutex());
    read_.push_back(value);
  }
  std::optional<absl::Duration> OnLost(const grpc::Status&, int count) override {
    const std::lock_guard lock(mutex());
    failures.push_back(count);
    if (give_up) return std::nullopt;
    return kDelay;
  }
  Next TakeLocked(int& request) override {
    if (waiting_.empty()) return leaving_ ? Next::kEnd : Next::kNothing;
    request = waiting_.front();
    waiting_.pop_front();
    return Next::kMessage;
  }

  bool leaving_ = false;
  std::deque<int> waiting_;
  std::vector<int> read_;
};

class ClientStreamTest : public testing::Test {
 protected:
  testkit::ManualTime time_;
  const std::shared_ptr<Chat> chat_ = std::make_shared<Chat>(time_);
};

TEST_F(ClientStreamTest, OpensAgainAfterADelay) {
  chat_->Open();
  EXPECT_EQ(chat_->calls(), 1);
  chat_->End(kAway);
  time_.Advance(kDelay - absl::Milliseconds(1));
  EXPECT_EQ(chat_->calls(), 1);
  time_.Advance(absl::Milliseconds(1));
  EXPECT_EQ(chat_->calls(), 2);
  EXPECT_EQ(chat_->calls_bound, 2);
  chat_->Close();
  chat_->End(grpc::Status::CANCELLED);
}

TEST_F(ClientStreamTest, CountsFailuresSinceTheLastMessage) {
  chat_->Open();
  for (int call = 0; call < 3; ++call) {
    if (call == 2) {
      EXPECT_TRUE(chat_->GiveRead(1));
    }
    chat_->End(kAway);
    time_.Advance(kDelay);
  }
  chat_->End(kAway);
  EXPECT_THAT(chat_->failures, ElementsAre(1, 2, 1, 2));
}

TEST_F(ClientStreamTest, EndsForGoodWhenTheSubclassGivesUp) {
  chat_->give_up = true;
  chat_->Open();
  chat_->End(kAway);
  EXPECT_TRUE(chat_->over());
  chat_->Wait();
  time_.Advance(absl::Minutes(1));
  EXPECT_EQ(chat_->calls(), 1);
}

TEST_F(ClientStreamTest, WritesOneMessageAtATime) {
  chat_->Open();
  for (const int value : {1, 2}) chat_->Say(value);
  EXPECT_THAT(chat_->TakeWrite(), Optional(1));
  EXPECT_THAT(chat_->TakeWrite(), Optional(2));
  EXPECT_EQ(chat_->TakeWrite(), std::nullopt);
  chat_->Leave();
  EXPECT_TRUE(chat_->writes_done());
  EXPECT_TRUE(chat_->GiveRead(5)) << "The stream still reads.";
  EXPECT_THAT(chat_->heard_values(), ElementsAre(5));
  chat_->Close();
  chat_->End(grpc::Status::OK);
}

TEST_F(ClientStreamTest, WritesNothingWhileNoCallIsOpen) {
  chat_->Say(1);
  EXPECT_EQ(chat_->TakeWrite(), std::nullopt);
  chat_->Open();
  EXPECT_TRUE(chat_->GiveRead(0))
      << "After a message from the server, the stream writes what waits.";
  EXPECT_THAT(chat_->TakeWrite(), Optional(1));
  chat_->End(kAway);
  chat_->Say(2);
  EXPECT_EQ(chat_->TakeWrite(), std::nullopt);
}

TEST_F(ClientStreamTest, DeliversNoMessageAfterClose) {
  chat_->Open();
  EXPECT_TRUE(chat_->GiveRead(1));
  chat_->Close();
  EXPECT_FALSE(chat_->over());
  EXPECT_TRUE(chat_->GiveRead(2));
  EXPECT_THAT(chat_->heard_values(), ElementsAre(1));
  chat_->End(grpc::Status::CANCELLED);
  EXPECT_TRUE(chat_->over());
  time_.Advance(absl::Minutes(1));
  EXPECT_EQ(chat_->calls(), 1);
}

TEST_F(ClientStreamTest, OpensNothingAfterClose) {
  chat_->Close();
  chat_->Open();
  EXPECT_EQ(chat_->calls(), 0);
  EXPECT_TRUE(chat_->over());
}

TEST_F(ClientStreamTest, CountsTicksWithoutAMessage) {
  chat_->Open();
  EXPECT_FALSE(chat_->has_heard());
  chat_->Tick();
  chat_->Tick();
  EXPECT_EQ(chat_->silent(), 2);
  EXPECT_TRUE(chat_->GiveRead(1));
  EXPECT_EQ(chat_->silent(), 0);
  EXPECT_TRUE(chat_->has_heard());
  chat_->End(kAway);
  EXPECT_FALSE(chat_->has_heard());
}

TEST_F(ClientStreamTest, LivesWhileACallRunsAndIsFreedAfterIt) {
  auto chat = std::make_shared<Chat>(time_);
  chat->Open();
  const std::weak_ptr<Chat> weak = chat;
  Chat* const raw = chat.get();
  chat.reset();
  ASSERT_FALSE(weak.expired());
  raw->End(kAway);
  EXPECT_TRUE(weak.expired());
  // The stream had scheduled its next call. When the call is due, the stream no longer exists.
  time_.Advance(kDelay);
}

TEST(BackoffTest, GrowsToItsUpperEnd) {
  const Backoff backoff{.min = absl::Milliseconds(100), .max = absl::Milliseconds(300)};
  SeededEntropy entropy(1);
  absl::Duration longest;
  for (int i = 0; i < 200; ++i) {
    EXPECT_LE(backoff.After(1, entropy), absl::Milliseconds(100));
    EXPECT_LE(backoff.After(2, entropy), absl::Milliseconds(200));
    longest = std::max(longest, backoff.After(9, entropy));
  }
  EXPECT_LE(longest, absl::Milliseconds(300));
  EXPECT_GT(longest, absl::Milliseconds(200));
}

// One thread acts as gRPC and ends calls, one thread writes, and one thread ticks. The owner closes
// the stream at a random time.
TEST(ClientStreamThreadsTest, EndsForEveryOrderOfEvents) {
  for (int n = 0; n < 200; ++n) {
    testkit::ManualTime time;
    const auto chat = std::make_shared<Chat>(time);
    chat->Open();
    std::jthread network([&] {
      Rng rng(static_cast<std::uint64_t>(n));
      while (!chat->over()) {
        chat->TakeWrite();
        chat->GiveRead(rng.Below(100));
        if (rng.Below(10) == 0) chat->End(kAway);
        if (rng.Below(20) == 0) std::this_thread::yield();
      }
    });
    std::jthread writer([&] {
      for (int i = 0; i < 100; ++i) chat->Say(i);
      if (n % 3 == 0) chat->Leave();
    });
    std::jthread timer([&] {
      for (int i = 0; i < 50; ++i) {
        chat->Tick();
        time.Advance(kDelay);
      }
    });
    Rng rng(static_cast<std::uint64_t>(n) + 7);
    std::this_thread::sleep_for(std::chrono::microseconds(rng.Below(500)));
    chat->Close();
    chat->Wait();
  }
}

}  // namespace
}  // namespace tarot::rpc
