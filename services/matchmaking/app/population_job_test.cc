#include "services/matchmaking/app/population_job.h"

#include <algorithm>
#include <map>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/testkit/status_matchers.h"
#include "services/matchmaking/testing/process.h"

namespace tarot::matchmaking_service {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class PopulationJobTest : public testing::Test {
 protected:
  void Start(std::size_t population_size) {
    process_.reset();
    process_ = std::make_unique<Process>(environment_, population_size);
  }

  std::vector<Ticket> LiveBots() { return *environment_.store.ListLiveBots(); }

  ProcessEnvironment environment_;
  std::unique_ptr<Process> process_;
};

TEST_F(PopulationJobTest, BotsOfAllLevelsQueueAgainAfterTheirMatch) {
  Start(8);
  environment_.time.Advance(absl::Seconds(30));
  ASSERT_THAT(environment_.tables.asked, SizeIs(2));
  std::set<std::string> levels;
  for (const PlannedTable& table : environment_.tables.asked) {
    EXPECT_TRUE(table.terms.ranked);
    for (const PlannedSeat& seat : table.seats) {
      EXPECT_FALSE(seat.ticket.empty());
      levels.insert(seat.bot_level);
    }
  }
  EXPECT_EQ(levels, (std::set<std::string>{"novice", "club", "strong"}));
  EXPECT_THAT(LiveBots(), SizeIs(8));  // All bots have tables, so they do not queue again.

  for (const PlannedTable& table : environment_.tables.asked) {
    ASSERT_THAT(process_->tickets.Release(table.id), testkit::IsOk());
  }
  EXPECT_THAT(LiveBots(), IsEmpty());
  environment_.time.Advance(absl::Seconds(60));
  EXPECT_THAT(environment_.tables.asked, SizeIs(4));
}

TEST_F(PopulationJobTest, EachBotJoinsEveryRankedQueue) {
  Catalog catalog = TestCatalog();
  Queue five = catalog.queues[0];
  five.id = "ranked5";
  five.player_count = 5;
  catalog.queues.push_back(five);
  ASSERT_THAT(environment_.store.WriteCatalog(catalog), testkit::IsOk());
  Start(8);
  environment_.time.Advance(absl::Seconds(30));
  EXPECT_THAT(LiveBots(), SizeIs(16));
  std::multiset<std::string> queues;
  for (const PlannedTable& table : environment_.tables.asked) queues.insert(table.queue);
  EXPECT_EQ(queues, (std::multiset<std::string>{"ranked4", "ranked4", "ranked5"}));
}

TEST_F(PopulationJobTest, SurvivesRestart) {
  Start(8);
  environment_.time.Advance(absl::Seconds(3));  // At this time some bots wait and other bots pause.
  Start(8);
  environment_.time.Advance(absl::Seconds(60));
  EXPECT_THAT(environment_.tables.asked, SizeIs(2));
  EXPECT_THAT(LiveBots(), SizeIs(8));
}

TEST_F(PopulationJobTest, SmallerPopulationLeavesTheQueue) {
  Start(3);
  environment_.time.Advance(absl::Seconds(30));
  EXPECT_THAT(LiveBots(), SizeIs(3));
  Start(1);
  environment_.time.Advance(absl::Seconds(1));
  EXPECT_THAT(LiveBots(), SizeIs(1));
  Start(0);
  environment_.time.Advance(absl::Seconds(30));
  EXPECT_THAT(LiveBots(), IsEmpty());
}

TEST_F(PopulationJobTest, OnlyHostQueuesBots) {
  Start(8);
  Process other(environment_, 8);
  other.is_host = false;
  // The rules service makes no table, so all bots stay in the queue.
  environment_.tables.answer = absl::UnavailableError("away");
  environment_.time.Advance(absl::Seconds(30));
  EXPECT_THAT(LiveBots(), SizeIs(8));
  process_.reset();
  for (const Ticket& ticket : LiveBots()) {
    if (ticket.table.empty()) continue;
    ASSERT_THAT(other.tickets.Release(ticket.table), testkit::IsOk());
  }
  environment_.time.Advance(absl::Seconds(30));
  EXPECT_THAT(LiveBots(), IsEmpty());
  other.is_host = true;
  environment_.time.Advance(absl::Seconds(30));
  EXPECT_THAT(LiveBots(), SizeIs(8));
}

// A person waits, and no other person does. When enough strong bots within the person's rating
// window have finished their match, the person gets a table with these bots.
TEST_F(PopulationJobTest, LonePersonGetsTableSoon) {
  constexpr absl::Duration kMatch = absl::Seconds(45);
  constexpr absl::Duration kWaitMax = absl::Seconds(80);
  for (const std::size_t population_size : {4, 5, 6, 8, 24}) {
    SCOPED_TRACE(testing::Message() << population_size << " bots");
    Start(population_size);
    for (const Bot& bot : process_->bots) {
      environment_.ratings.ratings[bot.player] = SitsWithPeople(bot.level) ? 1700 : 1300;
    }
    std::map<std::size_t, absl::Time> ends;
    const auto play = [&](absl::Duration time) {
      for (const absl::Time end = environment_.time.Now() + time; environment_.time.Now() < end;) {
        environment_.time.Advance(absl::Seconds(1));
        for (std::size_t i = 0; i < environment_.tables.asked.size(); ++i) {
          const absl::Time over =
              ends.try_emplace(i, environment_.time.Now() + kMatch).first->second;
          if (over > environment_.time.Now() || over == absl::InfinitePast()) continue;
          ASSERT_THAT(process_->tickets.Release(environment_.tables.asked[i].id), testkit::IsOk());
          ends[i] = absl::InfinitePast();
        }
      }
    };
    play(absl::Seconds(100));
    const PlayerId person{environment_.entropy.NewUuid()};
    // After each match the person gets another table. It may have the bots of the last match again.
    for (int match = 0; match < 3; ++match) {
      const Ticket ticket = process_->Join(person);
      play(kWaitMax);
      EXPECT_NE(process_->Now(ticket).state, TicketState::kWaiting) << "match " << match;
      play(kMatch);
    }
    Start(0);
    play(2 * kMatch);
    environment_.tables.asked.clear();
  }
}

// A person gets a table within a few waves, even if many bots queue.
TEST_F(PopulationJobTest, PeopleGetTablesDespiteManyBots) {
  Start(24);
  std::size_t released = 0;
  for (int person = 0; person < 20; ++person) {
    const Ticket ticket = process_->JoinNew();
    for (int second = 0; second < 12; ++second) {
      environment_.time.Advance(absl::Seconds(1));
      if (second % 3 != 0) continue;
      for (const std::size_t asked = environment_.tables.asked.size(); released < asked;
           ++released) {
        ASSERT_THAT(process_->tickets.Release(environment_.tables.asked[released].id),
                    testkit::IsOk());
      }
    }
    for (const PlannedTable& table : environment_.tables.asked) {
      const bool seated =
          std::any_of(table.seats.begin(), table.seats.end(),
                      [&](const PlannedSeat& seat) { return seat.ticket == ticket.id; });
      for (const PlannedSeat& seat : table.seats) {
        EXPECT_TRUE(!seated || SitsWithPeople(seat.bot_level)) << seat.bot_level;
      }
    }
    const TicketState state = process_->Now(ticket).state;
    EXPECT_TRUE(state == TicketState::kMatched || state == TicketState::kClosed);
  }
}

}  // namespace
}  // namespace tarot::matchmaking_service
