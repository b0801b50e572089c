#include "libs/cluster/membership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libs/base/scoped_scheduler.h"
#include "libs/cluster/testing/fake_member_store.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/pausable_scheduler.h"

namespace tarot::cluster {
namespace {

using testing::ElementsAre;

// The store, the clock and the scheduler of one process. A test can cut the process off from the
// store, make its calls of the store slow, or shift its clock.
class Link final : public MemberStore, public Clock, public Scheduler {
 public:
  Link(MemberStore& store, testkit::ManualTime& time) : store_(store), time_(time) {}

  absl::StatusOr<Roll> Heartbeat(const std::string& address, const Uuid& incarnation,
                                 absl::Duration clock_offset) override {
    if (away) return absl::UnavailableError("cut off");
    lag_ += takes;
    return store_.Heartbeat(address, incarnation, clock_offset);
  }
  absl::StatusOr<Roll> List() override { return store_.List(); }
  absl::Status Remove(const std::string& address, const Uuid& incarnation) override {
    return store_.Remove(address, incarnation);
  }
  absl::Time Now() override { return time_.Now() + skew + lag_; }
  // ManualTime cannot advance during a call. So this class adds the time of the store's calls to
  // the delay of the next task.
  void After(absl::Duration delay, absl::AnyInvocable<void()> task) override {
    time_.After(delay + lag_, [this, lag = lag_, task = std::move(task)]() mutable {
      lag_ -= lag;
      task();
    });
  }

  bool away = false;
  absl::Duration takes, skew;

 private:
  MemberStore& store_;
  testkit::ManualTime& time_;
  absl::Duration lag_;
};

// One process of a service. Its destructor acts like kill -9: the process does not leave the list.
struct Process {
  Process(testkit::ManualTime& time, MemberStore& store, const std::string& address, int start)
      : Process(time, time, store, address, start) {}
  Process(Link& link, const std::string& address, int start)
      : Process(link, link, link, address, start) {}
  Process(Clock& clock, Scheduler& timer, MemberStore& store, const std::string& address, int start)
      : pausable(timer),
        scheduler(pausable),
        membership(store, worker, clock, scheduler, address,
                   Uuid({static_cast<std::uint8_t>(start)}),
                   {.on_heartbeat =
                        [this](const HeartbeatNews& news) {
                          ++beats;
                          changes += news.changed ? 1 : 0;
                          rejoins += news.rejoined ? 1 : 0;
                          outages += news.outage ? 1 : 0;
                          clock_wrong = news.clock_wrong;
                        },
                    .on_failed = [this](const absl::Status&) { ++failures; },
                    .reachable = [this] { return reachable || Alone(); },
                    .on_address_taken = [this] { address_taken = true; }}) {
    EXPECT_TRUE(membership.Start().ok());
  }
  NodeList List() const { return *membership.Current(); }
  // Returns whether this node is the only node on the list.
  bool Alone() const {
    NodeList others = List();
    std::erase(others, membership.address());
    return others.empty();
  }

  InlineWorkerPool worker;
  testkit::PausableScheduler pausable;
  ScopedScheduler scheduler;
  int beats = 0;
  int changes = 0;
  int rejoins = 0;
  int outages = 0;
  int failures = 0;
  bool reachable = true;
  bool address_taken = false;
  bool clock_wrong = false;
  Membership membership;
};

class MembershipTest : public testing::Test {
 protected:
  // Starts two nodes. The second node starts half a heartbeat interval after the first node.
  MembershipTest() : a_(Start("a:1")) {
    time_.Advance(kHeartbeatInterval / 2);
    b_ = Start("b:1");
  }

  std::unique_ptr<Process> Start(const std::string& address) {
    return std::make_unique<Process>(time_, store_, address, ++starts_);
  }

  int starts_ = 0;
  testkit::ManualTime time_;
  absl::Duration store_skew_;
  FakeMemberStore store_{[this] { return time_.Now() + store_skew_; }};
  std::unique_ptr<Process> a_;
  std::unique_ptr<Process> b_;
};

TEST_F(MembershipTest, NewNodeIsSeenWithinAHeartbeat) {
  EXPECT_THAT(b_->List(), ElementsAre("a:1", "b:1"));
  EXPECT_THAT(a_->List(), ElementsAre("a:1"));
  time_.Advance(kHeartbeatInterval);
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
  const int changes = a_->changes;
  const int beats = a_->beats;
  time_.Advance(absl::Minutes(1));
  EXPECT_EQ(a_->beats, beats + 60);
  EXPECT_EQ(a_->changes, changes);
  EXPECT_EQ(a_->rejoins, 0);
}

TEST_F(MembershipTest, LeavingNodeIsGoneWithinAHeartbeat) {
  time_.Advance(absl::Seconds(10));
  EXPECT_THAT(*b_->membership.Leave(), ElementsAre("a:1"));
  EXPECT_THAT(b_->List(), ElementsAre("a:1")) << "b is not on its own list";
  EXPECT_EQ(b_->changes, 2);
  time_.Advance(kHeartbeatInterval);
  EXPECT_THAT(a_->List(), ElementsAre("a:1"));
  time_.Advance(absl::Minutes(1));
  EXPECT_THAT(a_->List(), ElementsAre("a:1")) << "b does not come back";
}

TEST_F(MembershipTest, DeadNodeIsGoneAfterThreeHeartbeats) {
  time_.Advance(absl::Seconds(10));
  // The last heartbeat of b_ came after the last one of a_. So the next heartbeat of a_ finds that
  // the row of b_ has changed.
  b_ = nullptr;
  time_.Advance(kHeartbeatsToDeath * kHeartbeatInterval);
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
  time_.Advance(kHeartbeatInterval);
  EXPECT_THAT(a_->List(), ElementsAre("a:1"));
}

TEST_F(MembershipTest, RemovesTheRowOfALongDeadNode) {
  b_ = nullptr;
  time_.Advance(absl::Seconds(30));
  EXPECT_EQ(store_.Heartbeat("c:1", Uuid(), {})->members.size(), 3u);
  time_.Advance(absl::Seconds(100));
  EXPECT_EQ(store_.Heartbeat("c:1", Uuid(), {})->members.size(), 2u);
}

TEST_F(MembershipTest, QuickRestartAtTheSameAddressChangesNothing) {
  time_.Advance(absl::Seconds(10));
  const int changes = a_->changes;
  b_ = nullptr;
  time_.Advance(absl::Seconds(2));
  b_ = Start("b:1");
  time_.Advance(absl::Seconds(10));
  EXPECT_EQ(a_->changes, changes);
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
}

// An old process that leaves must not remove the row of a new process at the same address.
TEST_F(MembershipTest, OldProcessRemovesOnlyItsOwnRow) {
  time_.Advance(absl::Seconds(10));
  const std::unique_ptr<Process> successor = Start("b:1");
  b_->membership.Leave();
  b_ = nullptr;
  time_.Advance(absl::Seconds(10));
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
}

TEST_F(MembershipTest, NoNodeDiesWhileTheStoreIsAway) {
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
  EXPECT_EQ(a_->rejoins, 0) << "the others were silent too, so no node took its place";
  EXPECT_EQ(a_->outages, 1);
}

TEST_F(MembershipTest, NodeCutOffFromTheStoreKnowsThatItWasReplaced) {
  time_.Advance(absl::Seconds(10));
  Link cut(store_, time_);
  const Process c(cut, "c:1", 3);
  time_.Advance(absl::Seconds(10));
  cut.away = true;
  time_.Advance(absl::Seconds(10));
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
  EXPECT_EQ(c.rejoins, 0);
  cut.away = false;
  time_.Advance(2 * kHeartbeatInterval);
  EXPECT_EQ(c.rejoins, 1);
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1", "c:1"));
}

// Slow heartbeats of some nodes do not change the list, even if the other nodes are fast.
TEST_F(MembershipTest, SlowHeartbeatsChangeNothing) {
  Link slow(store_, time_), slow_too(store_, time_);
  slow.takes = slow_too.takes = absl::Milliseconds(2500);
  const Process c(slow, "c:1", 3);
  const Process d(slow_too, "d:1", 4);
  time_.Advance(absl::Seconds(5));
  const int changes = a_->changes, changes_c = c.changes;
  time_.Advance(absl::Minutes(1));
  EXPECT_EQ(a_->changes, changes);
  EXPECT_EQ(c.changes, changes_c);
  EXPECT_EQ(a_->rejoins + b_->rejoins + c.rejoins + d.rejoins, 0);
  EXPECT_EQ(c.outages + d.outages, 0);
}

TEST_F(MembershipTest, UnreachableNodeLeavesAndReturns) {
  time_.Advance(absl::Seconds(10));
  b_->reachable = false;
  time_.Advance(2 * kHeartbeatInterval);
  EXPECT_THAT(a_->List(), ElementsAre("a:1"));
  EXPECT_THAT(b_->List(), ElementsAre("a:1"));
  time_.Advance(absl::Minutes(2));
  const std::unique_ptr<Process> c = Start("c:1");
  time_.Advance(2 * kHeartbeatInterval);
  EXPECT_THAT(b_->List(), ElementsAre("a:1", "c:1")) << "b still reads the list";
  b_->reachable = true;
  time_.Advance(2 * kHeartbeatInterval);
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1", "c:1"));
  EXPECT_THAT(b_->List(), ElementsAre("a:1", "b:1", "c:1"));
  EXPECT_EQ(b_->rejoins, 0);
}

// If no process can reach the only two live nodes, one of the two stays on the list and hosts all
// keys. This is also true if the store still has the row of a dead node.
TEST_F(MembershipTest, OneOfTwoUnreachableNodesStays) {
  Start("c:1").reset();
  time_.Advance(absl::Seconds(10));
  a_->reachable = b_->reachable = false;
  time_.Advance(2 * kHeartbeatInterval);
  EXPECT_THAT(a_->List(), ElementsAre("b:1"));
  EXPECT_THAT(b_->List(), ElementsAre("b:1"));
  const int changes = a_->changes + b_->changes;
  time_.Advance(absl::Minutes(2));
  EXPECT_EQ(a_->changes + b_->changes, changes);

  a_->reachable = b_->reachable = true;
  time_.Advance(2 * kHeartbeatInterval);
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
  EXPECT_THAT(b_->List(), ElementsAre("a:1", "b:1"));
  EXPECT_EQ(a_->rejoins + b_->rejoins, 0);
}

TEST_F(MembershipTest, NodeThatLeftReturnsWhenTheLastNodeDies) {
  time_.Advance(absl::Seconds(10));
  a_->reachable = b_->reachable = false;
  time_.Advance(absl::Seconds(10));
  b_ = nullptr;
  time_.Advance(absl::Seconds(6));
  EXPECT_THAT(a_->List(), ElementsAre("a:1"));
}

TEST_F(MembershipTest, SmallJumpOfTheClockChangesNothing) {
  Link link(store_, time_);
  const Process c(link, "c:1", 3);
  time_.Advance(absl::Seconds(10));
  for (const absl::Duration skew : {absl::Seconds(50), -absl::Seconds(50)}) {
    link.skew = skew;
    time_.Advance(absl::Seconds(10));
    EXPECT_TRUE(c.membership.Fresh());
  }
  EXPECT_EQ(c.rejoins, 0);
  EXPECT_EQ(c.changes, 1);
}

TEST_F(MembershipTest, NodeWithAWrongClockLeavesAndReturns) {
  for (const absl::Duration skew : {absl::Minutes(10), -absl::Minutes(10)}) {
    Link link(store_, time_);
    const Process c(link, "c:1", 3);
    time_.Advance(absl::Seconds(10));
    EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1", "c:1"));
    link.skew = skew;
    time_.Advance((kHeartbeatsToDeath + 2) * kHeartbeatInterval);
    EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
    EXPECT_THAT(c.List(), ElementsAre("a:1", "b:1"));
    EXPECT_TRUE(c.clock_wrong);
    EXPECT_FALSE(a_->clock_wrong || b_->clock_wrong);
    // The clock is 40 s ahead or behind. The limit is a minute for a node on the list, and half a
    // minute for a node that wants to return.
    link.skew = skew / 15;
    time_.Advance(absl::Minutes(1));
    EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
    link.skew = skew / 30;
    time_.Advance(3 * kHeartbeatInterval);
    EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1", "c:1"));
    EXPECT_FALSE(c.clock_wrong);
  }
}

TEST_F(MembershipTest, NodesThatAgreeStayWhenTheClockOfTheStoreJumps) {
  time_.Advance(absl::Seconds(10));
  const int changes = a_->changes + b_->changes;
  store_skew_ = absl::Hours(1);
  time_.Advance(absl::Minutes(1));
  EXPECT_EQ(a_->changes + b_->changes, changes);
  EXPECT_FALSE(a_->clock_wrong || b_->clock_wrong);
  const std::unique_ptr<Process> c = Start("c:1");
  EXPECT_THAT(c->List(), ElementsAre("a:1", "b:1", "c:1"))
      << "the clock of c agrees with the other nodes";
}

TEST_F(MembershipTest, LastNodeStaysWithAWrongClock) {
  b_->membership.Leave();
  time_.Advance(absl::Seconds(10));
  store_skew_ = absl::Hours(1);
  time_.Advance(absl::Seconds(10));
  EXPECT_TRUE(a_->clock_wrong);
  EXPECT_THAT(a_->List(), ElementsAre("a:1"));
  const std::unique_ptr<Process> c = Start("c:1");
  time_.Advance(absl::Seconds(10));
  EXPECT_FALSE(a_->clock_wrong || c->clock_wrong) << "two nodes agree against the store";
}

TEST_F(MembershipTest, NodeWithAWrongClockDoesNotJoin) {
  for (const absl::Duration skew : {absl::Minutes(10), -absl::Minutes(10)}) {
    Link link(store_, time_);
    link.skew = skew;
    InlineWorkerPool worker;
    ScopedScheduler scheduler(link);
    Membership membership(link, worker, link, scheduler, "c:1", Uuid(), {});
    const absl::Status status = membership.Start();
    EXPECT_EQ(GetErrorDetails(status).reason, "CLOCK_WRONG");
    EXPECT_THAT(status.message(),
                testing::HasSubstr(skew > absl::ZeroDuration() ? "10m ahead" : "10m behind"));
    time_.Advance(absl::Seconds(10));
    EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
  }
}

// The last live node stays on the list even if its clock is wrong. It then refuses good tokens. So
// a node that joins sends pings only to nodes whose clocks agree with its own clock.
TEST_F(MembershipTest, AsksOnlyNodesWithTheSameTimeBeforeItJoins) {
  EXPECT_TRUE(store_.Heartbeat("d:1", Uuid({9}), absl::Minutes(10)).ok());
  NodeList asked;
  InlineWorkerPool worker;
  ScopedScheduler scheduler(time_);
  Membership membership(store_, worker, time_, scheduler, "c:1", Uuid(),
                        {.may_join = [&asked](const NodeList& others) {
                          asked = others;
                          return absl::UnavailableError("no");
                        }});
  EXPECT_EQ(membership.Start(), absl::UnavailableError("no"));
  EXPECT_THAT(asked, ElementsAre("a:1", "b:1"));
  EXPECT_EQ(store_.List()->members.size(), 3u) << "the node has not joined";
}

TEST_F(MembershipTest, YoungerOfTwoProcessesAtOneAddressLeaves) {
  time_.Advance(absl::Seconds(10));
  const int changes = a_->changes;
  const std::unique_ptr<Process> younger = Start("b:1");
  time_.Advance(3 * kHeartbeatInterval);
  EXPECT_TRUE(younger->address_taken);
  EXPECT_FALSE(b_->address_taken);
  EXPECT_THAT(younger->List(), ElementsAre("a:1"));
  const int beats = younger->beats;
  time_.Advance(absl::Seconds(10));
  EXPECT_EQ(younger->beats, beats);
  EXPECT_EQ(a_->changes, changes);
  EXPECT_THAT(b_->List(), ElementsAre("a:1", "b:1"));
}

// The two processes must seem to join at the same time: at its first heartbeat, neither process may
// find the row of the other process. So the test removes the row of the first process before the
// second process joins.
TEST_F(MembershipTest, OneOfTwoProcessesThatTookAnAddressTogetherLeaves) {
  const std::unique_ptr<Process> c = Start("c:1");
  EXPECT_TRUE(store_.Remove("c:1", Uuid({3})).ok());
  const std::unique_ptr<Process> too = Start("c:1");
  time_.Advance(absl::Seconds(20));
  EXPECT_FALSE(c->address_taken);
  EXPECT_TRUE(too->address_taken);
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1", "c:1"));
}

TEST_F(MembershipTest, ShortPauseChangesNothing) {
  time_.Advance(absl::Seconds(10));
  b_->pausable.Pause();
  time_.Advance(absl::Milliseconds(1500));
  b_->pausable.Resume();
  time_.Advance(absl::Seconds(10));
  EXPECT_EQ(b_->rejoins, 0);
  EXPECT_EQ(a_->changes, 2);
}

TEST_F(MembershipTest, NodeKnowsThatItWasReplacedAfterALongPause) {
  time_.Advance(absl::Seconds(10));
  const int changes = b_->changes;
  b_->pausable.Pause();
  time_.Advance(absl::Seconds(20));
  EXPECT_THAT(a_->List(), ElementsAre("a:1"));
  EXPECT_FALSE(b_->membership.Fresh()) << "the pause is longer than three seconds";
  b_->pausable.Resume();
  EXPECT_TRUE(b_->membership.Fresh());
  EXPECT_EQ(b_->rejoins, 1);
  EXPECT_EQ(b_->changes, changes) << "the list of b has not changed";
  time_.Advance(kHeartbeatInterval);
  EXPECT_THAT(a_->List(), ElementsAre("a:1", "b:1"));
  EXPECT_EQ(a_->rejoins, 0);
}

TEST(AdvertisedAddressTest, IsReachableByOthers) {
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
