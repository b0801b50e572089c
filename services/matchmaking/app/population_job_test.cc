#include "services/matchmaking/app/population_job.h"

#include <algorithm>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/testkit/status_matchers.h"
#include "services/matchmaking/app/test_world.h"

namespace tarot::matchmaking {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class PopulationJobTest : public testing::Test {
 protected:
  void Start(std::size_t population_size) {
    process_.reset();
    process_ = std::make_unique<Process>(world_, population_size);
  }

  std::vector<Ticket> LiveBots() { return *world_.store.ListLiveBots(); }

  World world_;
  std::unique_ptr<Process> process_;
};

TEST_F(PopulationJobTest, BotsOfMixedLevelsQueueAndPlayAndComeBack) {
  Start(8);
  world_.time.Advance(absl::Seconds(30));
  ASSERT_THAT(world_.tables.asked, SizeIs(2));
  std::set<std::string> levels;
  for (const auto& [queue, table] : world_.tables.asked) {
    EXPECT_TRUE(queue.ranked);
    for (const Seat& seat : table.seats) {
      EXPECT_FALSE(seat.ticket.empty());
      levels.insert(seat.bot_level);
    }
  }
  EXPECT_EQ(levels, (std::set<std::string>{"novice", "club", "strong"}));
  EXPECT_THAT(LiveBots(), SizeIs(8));  // Seated: nobody queues twice.

  for (const auto& [queue, table] : world_.tables.asked) {
    ASSERT_THAT(process_->tickets.Release(table.id), testkit::IsOk());
  }
  EXPECT_THAT(LiveBots(), IsEmpty());
  world_.time.Advance(absl::Seconds(60));
  EXPECT_THAT(world_.tables.asked, SizeIs(4));
}

TEST_F(PopulationJobTest, SurvivesARestart) {
  Start(8);
  world_.time.Advance(absl::Seconds(3));  // Some wait, some pause.
  Start(8);
  world_.time.Advance(absl::Seconds(60));
  EXPECT_THAT(world_.tables.asked, SizeIs(2));
  EXPECT_THAT(LiveBots(), SizeIs(8));
}

TEST_F(PopulationJobTest, ASmallerPopulationLeavesTheQueue) {
  Start(3);
  world_.time.Advance(absl::Seconds(30));
  EXPECT_THAT(LiveBots(), SizeIs(3));
  Start(1);
  world_.time.Advance(absl::Seconds(1));
  EXPECT_THAT(LiveBots(), SizeIs(1));
  Start(0);
  world_.time.Advance(absl::Seconds(30));
  EXPECT_THAT(LiveBots(), IsEmpty());
}

TEST_F(PopulationJobTest, OneReplicaLooksAfterIt) {
  Start(8);
  Process other(world_, 8);
  other.is_host = false;
  world_.tables.answer = absl::UnavailableError("away");  // So that all stay in the queue.
  world_.time.Advance(absl::Seconds(30));
  EXPECT_THAT(LiveBots(), SizeIs(8));
  process_.reset();
  for (const Ticket& ticket : LiveBots()) {
    if (ticket.table.empty()) continue;
    ASSERT_THAT(other.tickets.Release(ticket.table), testkit::IsOk());
  }
  world_.time.Advance(absl::Seconds(30));
  EXPECT_THAT(LiveBots(), IsEmpty());
  other.is_host = true;
  world_.time.Advance(absl::Seconds(30));
  EXPECT_THAT(LiveBots(), SizeIs(8));
}

// However many bots come and go, a person has a table within a few waves.
TEST_F(PopulationJobTest, NeverStarvesPeople) {
  Start(24);
  std::size_t released = 0;
  for (int person = 0; person < 20; ++person) {
    const Ticket ticket = process_->JoinNew();
    for (int second = 0; second < 12; ++second) {
      world_.time.Advance(absl::Seconds(1));
      if (second % 3 != 0) continue;
      for (const std::size_t asked = world_.tables.asked.size(); released < asked; ++released) {
        ASSERT_THAT(process_->tickets.Release(world_.tables.asked[released].second.id),
                    testkit::IsOk());
      }
    }
    for (const auto& [queue, table] : world_.tables.asked) {
      const bool seated = std::any_of(table.seats.begin(), table.seats.end(),
                                      [&](const Seat& seat) { return seat.ticket == ticket.id; });
      for (const Seat& seat : table.seats) {
        EXPECT_TRUE(!seated || SitsWithPeople(seat.bot_level)) << seat.bot_level;
      }
    }
    const TicketState state = process_->Now(ticket).state;
    EXPECT_TRUE(state == TicketState::kMatched || state == TicketState::kClosed);
  }
}

}  // namespace
}  // namespace tarot::matchmaking
