#include "libs/cluster/membership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libs/base/scoped_scheduler.h"
#include "libs/cluster/fake_member_store.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/pausable_scheduler.h"

namespace tarot::cluster {
namespace {

using testing::ElementsAre;

// A process: gone when destroyed, as after kill -9.
struct Process {
  Process(testkit::ManualTime& time, MemberStore& store, const std::string& address, int start)
      : pausable(time),
        scheduler(pausable),
        membership(store, worker, time, scheduler, address,
                   Uuid({static_cast<std::uint8_t>(start)}),
                   {.on_beat =
                        [this](const BeatNews& news) {
                          ++beats;
                          changes += news.changed ? 1 : 0;
                          rejoins += news.rejoined ? 1 : 0;
                        },
                    .on_failed = [this](const absl::Status&) { ++failures; }}) {
    EXPECT_TRUE(membership.Start().ok());
  }
  NodeList List() const { return *membership.Current(); }

  InlineWorkerPool worker;
  testkit::PausableScheduler pausable;
  ScopedScheduler scheduler;
  int beats = 0;
  int changes = 0;
  int rejoins = 0;
  int failures = 0;
  Membership membership;
};

class MembershipTest : public testing::Test {
 protected:
  // Half a beat apart.
  MembershipTest() : a_(Start("a:1")) {
    time_.Advance(kBeatInterval / 2);
    b_ = Start("b:1");
  }

  std::unique_ptr<Process> Start(const std::string& address) {
    return std::make_unique<Process>(time_, store_, address, ++starts_);
  }

  int starts_ = 0;
  testkit::ManualTime time_;
  FakeMemberStore store_;
  std::unique_ptr<Process> a_;
  std::unique_ptr<Process> b_;
};

TEST_F(MembershipTest, WhoStartsIsThereAtOnceAndSeenWithinABeat) {
  EXPECT_THAT(b_->List(), ElementsAre("a:1", "b:1"));
  EXPECT_THAT(a_->List(), ElementsAre("a:1"));
  time_.Advance(kBeatInterval);
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
  const int changes = a_->changes;
  const int beats = a_->beats;
  time_.Advance(absl::Minutes(1));
  EXPECT_EQ(a_->beats, beats + 60);
  EXPECT_EQ(a_->changes, changes);
  EXPECT_EQ(a_->rejoins, 0);
}

TEST_F(MembershipTest, WhoLeavesIsGoneWithinABeat) {
  time_.Advance(absl::Seconds(10));
  EXPECT_THAT(*b_->membership.Leave(), ElementsAre("a:1"));
  EXPECT_THAT(b_->List(), ElementsAre("a:1")) << "for itself, too";
  EXPECT_EQ(b_->changes, 2);
  time_.Advance(kBeatInterval);
  EXPECT_THAT(a_->List(), ElementsAre("a:1"));
  time_.Advance(absl::Minutes(1));
  EXPECT_THAT(a_->List(), ElementsAre("a:1")) << "and stays away";
}

TEST_F(MembershipTest, WhoDiesIsGoneAfterThreeBeatsAndNotBefore) {
  time_.Advance(absl::Seconds(10));
  b_ = nullptr;  // The first beat of the other finds its last one moved.
  time_.Advance(kBeatsToDeath * kBeatInterval);
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
  time_.Advance(kBeatInterval);
  EXPECT_THAT(a_->List(), ElementsAre("a:1"));
}

TEST_F(MembershipTest, TheRowOfTheLongDeadIsRemoved) {
  b_ = nullptr;
  time_.Advance(absl::Seconds(30));
  EXPECT_EQ(store_.Beat("c:1", Uuid())->size(), 3u);
  time_.Advance(absl::Seconds(100));
  EXPECT_EQ(store_.Beat("c:1", Uuid())->size(), 2u);
}

TEST_F(MembershipTest, ARestartAtTheSameAddressInTimeChangesNothing) {
  time_.Advance(absl::Seconds(10));
  const int changes = a_->changes;
  b_ = nullptr;
  time_.Advance(absl::Seconds(2));
  b_ = Start("b:1");
  time_.Advance(absl::Seconds(10));
  EXPECT_EQ(a_->changes, changes);
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
}

// The last goodbye of an old process must not take its successor off the list.
TEST_F(MembershipTest, AnOldProcessLeavesOnlyItsOwnRow) {
  time_.Advance(absl::Seconds(10));
  const std::unique_ptr<Process> successor = Start("b:1");
  b_->membership.Leave();
  b_ = nullptr;
  time_.Advance(absl::Seconds(10));
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
}

TEST_F(MembershipTest, WhileTheStoreIsAwayNobodyDies) {
  time_.Advance(absl::Seconds(10));
  const int changes = a_->changes;
  store_.set_away(true);
  EXPECT_TRUE(a_->membership.Fresh());
  time_.Advance(absl::Minutes(1));
  EXPECT_FALSE(a_->membership.Fresh());
  EXPECT_GE(a_->failures, 59);
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
  store_.set_away(false);
  time_.Advance(absl::Seconds(10));
  EXPECT_TRUE(a_->membership.Fresh());
  EXPECT_EQ(a_->changes, changes);
  EXPECT_EQ(a_->rejoins, 1) << "it cannot know that the others were silent, too";
}

TEST_F(MembershipTest, WhoWasPausedForShortHasMissedNothing) {
  time_.Advance(absl::Seconds(10));
  b_->pausable.Pause();
  time_.Advance(absl::Milliseconds(1500));
  b_->pausable.Resume();
  time_.Advance(absl::Seconds(10));
  EXPECT_EQ(b_->rejoins, 0);
  EXPECT_EQ(a_->changes, 2);
}

TEST_F(MembershipTest, WhoWasPausedForLongKnowsThatOthersTookItsPlace) {
  time_.Advance(absl::Seconds(10));
  const int changes = b_->changes;
  b_->pausable.Pause();
  time_.Advance(absl::Seconds(20));
  EXPECT_THAT(a_->List(), ElementsAre("a:1"));
  EXPECT_FALSE(b_->membership.Fresh()) << "from the moment on that it wakes";
  b_->pausable.Resume();
  EXPECT_TRUE(b_->membership.Fresh());
  EXPECT_EQ(b_->rejoins, 1);
  EXPECT_EQ(b_->changes, changes) << "which its list cannot tell it";
  time_.Advance(kBeatInterval);
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
  EXPECT_EQ(a_->rejoins, 0);
}

TEST(AdvertisedAddressTest, IsOneThatOthersCanReach) {
  EXPECT_EQ(AdvertisedAddress("", "127.0.0.1:0", 7102).value(), "127.0.0.1:7102");
  EXPECT_EQ(AdvertisedAddress("10.0.0.7:7102", "0.0.0.0:7102", 7102).value(), "10.0.0.7:7102");
  for (const char* everywhere : {"0.0.0.0:7102", "[::]:7102", ":7102"}) {
    EXPECT_FALSE(AdvertisedAddress("", everywhere, 7102).ok());
  }
}

TEST_F(MembershipTest, StartFailsWithoutTheStore) {
  store_.set_away(true);
  InlineWorkerPool worker;
  ScopedScheduler scheduler(time_);
  Membership membership(store_, worker, time_, scheduler, "c:1", Uuid(), {});
  EXPECT_FALSE(membership.Start().ok());
  store_.set_away(false);
  time_.Advance(absl::Seconds(10));
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
}

}  // namespace
}  // namespace tarot::cluster
