#include "libs/matching/matcher.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/base/rng.h"
#include "libs/matching/testing/reference_matcher.h"

namespace tarot::matching {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

// Keeps the tickets of one queue. Join() adds a ticket, and numbers the tickets from 1.
class MatcherTest : public testing::Test {
 protected:
  MatchTicket& Join(int rating, absl::Duration age) {
    const auto number = static_cast<std::uint32_t>(tickets_.size() + 1);
    tickets_.push_back(
        {.id = number, .player = number, .rating = rating, .create_time = kNow - age});
    return tickets_.back();
  }

  // Returns a list of players that lives as long as the test.
  absl::Span<const std::uint32_t> Players(std::vector<std::uint32_t> players) {
    std::sort(players.begin(), players.end());
    return lists_.emplace_back(std::move(players));
  }

  MatchWave Run(int seats = 4) const { return MakeTables(tickets_, seats, kNow); }

  std::vector<MatchTicket> tickets_;
  std::deque<std::vector<std::uint32_t>> lists_;
};

TEST(RatingWindowTest, GrowsFrom80By4ASecondTo600) {
  EXPECT_EQ(RatingWindow(absl::ZeroDuration()), 80);
  EXPECT_EQ(RatingWindow(absl::Seconds(10)), 120);
  EXPECT_EQ(RatingWindow(absl::Seconds(130)), 600);
  EXPECT_EQ(RatingWindow(absl::Hours(48)), 600);
  EXPECT_EQ(RatingWindow(absl::InfiniteDuration()), 600);
  EXPECT_EQ(RatingWindow(absl::Seconds(-5)), 80);  // A negative age counts as zero.
  EXPECT_EQ(RatingWindow(absl::Seconds(10), 2.5f), 300);
  EXPECT_EQ(RatingWindow(absl::Seconds(60), 2.5f), 600);
}

TEST(WideningTest, IsTheRootOfTheDensityFrom1To3) {
  EXPECT_EQ(Widening(1500, 1, 1), 1);
  // All 500 ratings are near the rating of the ticket, so the window is not wider.
  EXPECT_EQ(Widening(1500, 500, 500), 1);
  // Without tickets, Widening() uses only its prior (the assumed distribution of ratings).
  EXPECT_NEAR(Widening(1800, 0, 0), std::exp(0.25), 1e-3);
  EXPECT_EQ(Widening(1800, 0, 0), Widening(1200, 0, 0));
  EXPECT_EQ(Widening(2400, 1, 1), 3);
  EXPECT_EQ(Widening(1'000'000'000, 1, 1), 3);
  // In a large wave the tickets count more than the prior.
  EXPECT_EQ(Widening(2400, 4'000, 10'000), 1);
  EXPECT_NEAR(Widening(1500, 383, 4'000), 1.95, 0.05);
}

TEST_F(MatcherTest, MakesATableOfFour) {
  for (const int rating : {1500, 1520, 1480, 1540}) Join(rating, absl::Seconds(1));
  const MatchWave wave = Run();
  ASSERT_THAT(wave.tables, SizeIs(1));
  EXPECT_THAT(wave.tables[0].tickets, UnorderedElementsAre(0, 1, 2, 3));
  EXPECT_EQ(wave.tables[0].spread, 60);
  EXPECT_THAT(wave.waiting, IsEmpty());
}

TEST_F(MatcherTest, ReportsTooFewPlayers) {
  for (int i = 0; i < 3; ++i) Join(1500, absl::Seconds(3 - i));
  const MatchWave wave = Run();
  EXPECT_THAT(wave.tables, IsEmpty());
  ASSERT_THAT(wave.waiting, SizeIs(3));
  EXPECT_EQ(wave.waiting[2].ticket, 2u);
  EXPECT_EQ(wave.waiting[2].position, 3);
  EXPECT_EQ(wave.waiting[2].window, 84);
  EXPECT_EQ(wave.waiting[2].reason, WaitReason::kTooFewPlayers);
}

TEST_F(MatcherTest, WaitsUntilTheNarrowestWindowHoldsTheTable) {
  for (const int rating : {1400, 1500, 1600}) Join(rating, absl::Minutes(5));
  MatchTicket& newest = Join(1550, absl::Seconds(29));
  const MatchWave before = Run();
  EXPECT_THAT(before.tables, IsEmpty());
  EXPECT_EQ(before.waiting[0].reason, WaitReason::kRatingsTooFar);
  newest.create_time = kNow - absl::Seconds(30);  // After 30 seconds the window is 200 points.
  EXPECT_THAT(Run().tables, SizeIs(1));
}

TEST_F(MatcherTest, GivesTheOldestTheSmallestSpread) {
  Join(1500, absl::Seconds(60));
  for (const int rating : {1410, 1420, 1430, 1510, 1520, 1585}) Join(rating, absl::Seconds(10));
  const MatchWave wave = Run();
  ASSERT_THAT(wave.tables, SizeIs(1));
  EXPECT_THAT(wave.tables[0].tickets, UnorderedElementsAre(0, 4, 5, 6));
}

TEST_F(MatcherTest, SeatsTheOlderOfEqualRatings) {
  for (const int age : {1, 30, 3, 9, 50, 20}) Join(1500, absl::Seconds(age));
  const MatchWave wave = Run();
  ASSERT_THAT(wave.tables, SizeIs(1));
  EXPECT_THAT(wave.tables[0].tickets, ElementsAre(4, 1, 5, 3));
  EXPECT_EQ(wave.waiting[0].ticket, 2u);
}

TEST_F(MatcherTest, SeatsPeopleBeforeBotsOfTheSameAge) {
  for (int i = 0; i < 4; ++i) Join(1500, absl::Milliseconds(1900 - i)).bot = true;
  const std::size_t person = tickets_.size();
  Join(1500, absl::Milliseconds(100));
  const MatchWave wave = Run();
  ASSERT_THAT(wave.tables, SizeIs(1));
  EXPECT_EQ(wave.tables[0].tickets[0], person);
}

TEST_F(MatcherTest, KeepsBlockedPlayersApart) {
  for (int i = 0; i < 4; ++i) Join(1500, absl::Seconds(10));
  tickets_[3].blocked = Players({tickets_[0].player});
  const MatchWave apart = Run();
  EXPECT_THAT(apart.tables, IsEmpty());
  for (const WaitingTicket& ticket : apart.waiting) {
    EXPECT_EQ(ticket.reason, WaitReason::kBlocked);
  }
  tickets_[3].blocked = {};
  // Now the oldest ticket belongs to neither of the two players with the block between them.
  tickets_[1].blocked = Players({tickets_[2].player});
  EXPECT_THAT(Run().tables, IsEmpty());
  Join(1570, absl::Seconds(1));
  ASSERT_THAT(Run().tables, SizeIs(1));
}

TEST_F(MatcherTest, SeatsBlockedPlayersTogetherOnlyAfterAWaitAndWithoutAnotherTable) {
  constexpr absl::Duration kWait = absl::Minutes(1);
  const auto run = [&] { return MakeTables(tickets_, 4, kNow, kWait); };
  Join(1500, kWait);
  Join(1500, kWait - absl::Seconds(1)).blocked = Players({tickets_[0].player});
  Join(1500, absl::Seconds(10));
  Join(1500, absl::Seconds(10));
  EXPECT_THAT(run().tables, IsEmpty()) << "One of the two has not waited long enough.";
  tickets_[1].create_time = tickets_[0].create_time;
  EXPECT_THAT(run().tables, SizeIs(1));
  EXPECT_THAT(Run().tables, IsEmpty()) << "With an infinite block_wait the two never sit together.";
  Join(1580, absl::Seconds(1));
  const MatchWave wave = run();
  ASSERT_THAT(wave.tables, SizeIs(1));
  EXPECT_THAT(wave.tables[0].tickets, testing::Contains(4u)) << "Another table is possible.";
}

TEST_F(MatcherTest, PlayersOfOneNetworkNeverShareATable) {
  for (int i = 0; i < 4; ++i) Join(1500, absl::Hours(1)).network = i == 0 ? 0 : 7;
  const MatchWave apart = MakeTables(tickets_, 4, kNow, absl::ZeroDuration());
  EXPECT_THAT(apart.tables, IsEmpty());
  for (const WaitingTicket& ticket : apart.waiting) {
    EXPECT_EQ(ticket.reason, WaitReason::kSameNetwork);
  }
  EXPECT_THAT(Explain(tickets_, 4, kNow, absl::InfiniteDuration(), 1),
              ElementsAre(Obstacle::kNone, Obstacle::kNone, Obstacle::kSameNetwork,
                          Obstacle::kSameNetwork));
  tickets_[1].network = 8;
  tickets_[2].network = 0;  // 0 stands for an unknown network, which keeps no players apart.
  EXPECT_THAT(Run().tables, SizeIs(1));
}

// The oldest ticket fits only a table with two players who have a block between them. But each of
// these two players also fits a table without the other.
TEST_F(MatcherTest, TriesAllTablesWithoutABlockFirst) {
  constexpr absl::Duration kWait = absl::Minutes(2);
  Join(1500, kWait + absl::Seconds(20));
  Join(1480, kWait);
  Join(1900, kWait);
  Join(1910, kWait).blocked = Players({tickets_[2].player});
  for (int i = 0; i < 3; ++i) Join(2300, kWait);
  const MatchWave wave = MakeTables(tickets_, 4, kNow, kWait);
  ASSERT_THAT(wave.tables, SizeIs(1));
  EXPECT_THAT(wave.tables[0].tickets, testing::AnyOf(testing::Not(testing::Contains(2u)),
                                                     testing::Not(testing::Contains(3u))));
}

TEST_F(MatcherTest, WeakBotsSitWithBotsOnly) {
  for (int i = 0; i < 4; ++i) Join(1500, absl::Seconds(10)).bot = true;
  for (std::size_t i = 0; i < 3; ++i) tickets_[i].bots_only = true;
  // The fourth player is a strong bot, which may sit with any player.
  EXPECT_THAT(Run().tables, SizeIs(1));
  tickets_[3].bot = false;
  EXPECT_THAT(Run().tables, IsEmpty());
  for (int i = 0; i < 3; ++i) Join(1590, absl::Seconds(1)).bot = true;
  const MatchWave wave = Run();
  ASSERT_THAT(wave.tables, SizeIs(1));
  EXPECT_THAT(wave.tables[0].tickets, UnorderedElementsAre(3, 4, 5, 6));
}

TEST_F(MatcherTest, BotsSitWithPeopleAtAnyDistanceInsideThePersonsWindow) {
  Join(1500, absl::Seconds(55));  // After 55 seconds the window is 300 points.
  for (int i = 0; i < 3; ++i) Join(1790, absl::ZeroDuration()).bot = true;
  EXPECT_THAT(Run().tables, SizeIs(1));
  tickets_[0].create_time = kNow - absl::Seconds(49);
  EXPECT_THAT(Run().tables, IsEmpty());
  tickets_[0].create_time = kNow - absl::Seconds(55);
  for (MatchTicket& ticket : tickets_) ticket.last_tables = {7};
  EXPECT_THAT(Run().tables, SizeIs(1)) << "A person may meet the same bots again at once.";
  tickets_[0].bot = true;
  EXPECT_THAT(Run().tables, IsEmpty());
}

TEST_F(MatcherTest, BotsWaitWithThePersonTheyWillSitWith) {
  for (int i = 0; i < 6; ++i) Join(1500, absl::Seconds(1)).bot = true;
  for (std::size_t i = 0; i < 4; ++i) tickets_[i].bots_only = true;
  EXPECT_THAT(Run().tables[0].tickets, ElementsAre(0, 1, 2, 3));
  tickets_[0].bots_only = false;  // Now three of the bots may sit with people, but no person waits.
  EXPECT_THAT(Run().tables, SizeIs(1));
  tickets_[0].bots_only = true;
  // Ticket 3 is a person now. One player is missing for a table with this person. So the bots that
  // may sit with people wait for this table.
  tickets_[3].bot = false;
  tickets_[3].bots_only = false;
  Join(1500, absl::Seconds(1)).bot = true;
  tickets_.back().bots_only = true;
  EXPECT_THAT(Run().waiting, SizeIs(3));
  EXPECT_THAT(Run().tables[0].tickets, ElementsAre(0, 1, 2, 6));
  Join(1500, absl::Seconds(1)).bot = true;
  Join(1700, absl::Seconds(1)).bot = true;
  tickets_[4].rating = 1700;
  const MatchWave wave = Run();
  ASSERT_THAT(wave.waiting, SizeIs(5));
  EXPECT_EQ(wave.waiting[0].ticket, 3u);
  EXPECT_EQ(wave.waiting[0].reason, WaitReason::kRatingsTooFar) << "Two bots are too strong.";
  EXPECT_EQ(wave.waiting[2].ticket, 5u);
  EXPECT_EQ(wave.waiting[2].reason, WaitReason::kKeptForPeople);
}

TEST_F(MatcherTest, BotsThatMustNotSitWithAPersonAreNoPlayersForThisPerson) {
  Join(1500, absl::Minutes(5));
  for (int i = 0; i < 3; ++i) {
    MatchTicket& bot = Join(1500, absl::Minutes(5));
    bot.bot = bot.bots_only = true;
  }
  for (const WaitingTicket& ticket : Run().waiting) {
    EXPECT_EQ(ticket.reason, WaitReason::kTooFewPlayers);
  }
}

TEST_F(MatcherTest, ExplainsWhatKeepsEachOtherTicketAway) {
  Join(1500, absl::Seconds(5)).last_tables = {7};  // The window is 100 points.
  Join(1600, absl::Seconds(5));
  Join(1601, absl::Seconds(50));
  Join(1500, absl::Seconds(5)).blocked = Players({1});
  Join(1510, absl::Seconds(5)).last_tables = {0, 7};
  MatchTicket& weak = Join(1500, absl::Seconds(5));
  weak.bot = weak.bots_only = true;
  Join(1590, absl::Seconds(1)).bot = true;
  EXPECT_THAT(
      Explain(tickets_, 4, kNow, absl::InfiniteDuration(), 0),
      ElementsAre(Obstacle::kNone, Obstacle::kNone, Obstacle::kRatingsTooFar, Obstacle::kBlocked,
                  Obstacle::kMetJustNow, Obstacle::kBotsOnly, Obstacle::kNone));
  // At a table of a person and a bot, the window of the bot does not count. This is also true if
  // the bot is the anchor.
  EXPECT_EQ(Explain(tickets_, 4, kNow, absl::InfiniteDuration(), 6)[0], Obstacle::kNone);
}

// Explain() finds no obstacle between two players who got a table together, except perhaps between
// two bots. If Explain() finds too few tickets without an obstacle to a person's ticket, this
// person gets no table.
TEST_F(MatcherTest, ExplainsNoOtherRulesThanItFollows) {
  int pairs = 0, lonely = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed=" << seed);
    Rng rng(seed);
    const int seats = 3 + rng.Below(3);
    tickets_.clear();
    for (int n = 5 + rng.Below(40); n > 0; --n) {
      MatchTicket& ticket = Join(1300 + rng.Below(500), absl::Milliseconds(rng.Below(60'000)));
      ticket.bot = rng.Below(3) == 0;
      ticket.bots_only = ticket.bot && rng.Below(2) == 0;
      for (std::uint32_t& table : ticket.last_tables) {
        table = static_cast<std::uint32_t>(rng.Below(20));
      }
      if (rng.Below(3) == 0) ticket.blocked = Players({1, 2, 3});
    }
    const MatchWave wave = Run(seats);
    std::set<std::size_t> seated;
    for (const MatchedTable& table : wave.tables) {
      seated.insert(table.tickets.begin(), table.tickets.end());
      for (const std::size_t one : table.tickets) {
        const auto obstacles = Explain(tickets_, seats, kNow, absl::InfiniteDuration(), one);
        for (const std::size_t other : table.tickets) {
          // At a table that serves a person, the windows of bots do not count. So Explain() may
          // find an obstacle between two bots of this table.
          if (tickets_[one].bot && tickets_[other].bot) continue;
          EXPECT_EQ(obstacles[other], Obstacle::kNone);
          ++pairs;
        }
      }
    }
    for (std::size_t i = 0; i < tickets_.size(); ++i) {
      if (tickets_[i].bot) continue;
      const auto obstacles = Explain(tickets_, seats, kNow, absl::InfiniteDuration(), i);
      if (std::count(obstacles.begin(), obstacles.end(), Obstacle::kNone) >= seats) continue;
      EXPECT_FALSE(seated.contains(i));
      ++lonely;
    }
  }
  EXPECT_GT(pairs, 1'000);
  EXPECT_GT(lonely, 100);
}

TEST_F(MatcherTest, TheSameFourMeetAgainOnlyLater) {
  for (int i = 0; i < 4; ++i) Join(1500, absl::Seconds(29)).last_tables = {7};
  const MatchWave early = Run();
  EXPECT_THAT(early.tables, IsEmpty());
  EXPECT_EQ(early.waiting[0].reason, WaitReason::kMetJustNow);
  Join(1580, absl::Seconds(1));  // With a new player, a table is possible without a longer wait.
  EXPECT_THAT(Run().tables, SizeIs(1));
  tickets_.pop_back();
  for (MatchTicket& ticket : tickets_) ticket.create_time = kNow - absl::Seconds(30);
  EXPECT_THAT(Run().tables, SizeIs(1));
}

TEST_F(MatcherTest, TheSameFourMeetAgainAtTheWidestWindow) {
  for (const int rating : {1300, 1500, 1600, 1850}) {
    Join(rating, absl::Minutes(3)).last_tables = {7};
  }
  EXPECT_THAT(Run().tables, SizeIs(1));
}

TEST_F(MatcherTest, APairThatMetNeedsWindowsThatAre100PointsWider) {
  for (int i = 0; i < 4; ++i) Join(1500, absl::Seconds(4));
  tickets_[1].last_tables = {7, 8, 9};
  tickets_[3].last_tables = {0, 5, 7};
  const MatchWave early = Run();
  ASSERT_THAT(early.tables, IsEmpty());
  EXPECT_EQ(early.waiting[0].reason, WaitReason::kMetJustNow);
  EXPECT_EQ(early.waiting[1].reason, WaitReason::kMetJustNow);
  // Only the two players who met need wider windows.
  for (const std::size_t i : {1, 3}) tickets_[i].create_time = kNow - absl::Seconds(5);
  EXPECT_THAT(Run().tables, SizeIs(1));
  tickets_[2].last_tables = {8};
  EXPECT_THAT(Run().tables, IsEmpty());
  tickets_[2].create_time = kNow - absl::Seconds(5);
  EXPECT_THAT(Run().tables, SizeIs(1));
}

TEST_F(MatcherTest, AnotherPlayerComesBeforeOneWhoMetAPlayerOfTheTable) {
  for (int i = 0; i < 4; ++i) Join(1500, absl::Seconds(4));
  for (const std::size_t i : {0, 1}) tickets_[i].last_tables = {7};
  EXPECT_THAT(Run().tables, IsEmpty());
  Join(1500, absl::Seconds(1));
  const MatchWave wave = Run();
  ASSERT_THAT(wave.tables, SizeIs(1));
  EXPECT_THAT(wave.tables[0].tickets, UnorderedElementsAre(0, 2, 3, 4));
}

TEST_F(MatcherTest, PlayersOfDistantRegionsNeedWindowsAsWideAsTheRoundTrip) {
  RoundTrips trips(2);
  trips.Set(1, 2, 90);
  for (int i = 0; i < 4; ++i) Join(1500, absl::Seconds(2)).region = i < 2 ? 1 : 2;
  const auto run = [&] { return MakeTables(tickets_, 4, kNow, absl::InfiniteDuration(), trips); };
  const MatchWave early = run();
  ASSERT_THAT(early.tables, IsEmpty());
  EXPECT_EQ(early.waiting[0].reason, WaitReason::kFarAway);
  EXPECT_EQ(early.waiting[3].reason, WaitReason::kFarAway);
  EXPECT_THAT(
      Explain(tickets_, 4, kNow, absl::InfiniteDuration(), 0, trips),
      ElementsAre(Obstacle::kNone, Obstacle::kNone, Obstacle::kFarAway, Obstacle::kFarAway));
  for (MatchTicket& ticket : tickets_) ticket.create_time = kNow - absl::Seconds(3);
  EXPECT_THAT(run().tables, SizeIs(1)) << "The windows are 92 points.";
  tickets_[0].rating = 1503;
  EXPECT_THAT(run().tables, IsEmpty()) << "The spread and the round trip are 93 points.";
  tickets_[0].region = 0;
  tickets_[1].region = 2;
  EXPECT_THAT(run().tables, SizeIs(1)) << "An unknown region is near every region.";
}

TEST_F(MatcherTest, PlayersOfOneRegionComeBeforeSimilarPlayersOfAnother) {
  RoundTrips trips(2);
  trips.Set(1, 2, 100);
  for (int i = 0; i < 8; ++i) {
    Join(1500 + i, absl::Seconds(1)).region = static_cast<std::uint8_t>(1 + i % 2);
  }
  const MatchWave wave = MakeTables(tickets_, 4, kNow, absl::InfiniteDuration(), trips);
  ASSERT_THAT(wave.tables, SizeIs(2));
  EXPECT_THAT(wave.tables[0].tickets, UnorderedElementsAre(0, 2, 4, 6));
  EXPECT_THAT(wave.tables[1].tickets, UnorderedElementsAre(1, 3, 5, 7));
  for (MatchTicket& ticket : tickets_) ticket.create_time = kNow - absl::Minutes(3);
  tickets_.resize(4);
  EXPECT_THAT(MakeTables(tickets_, 4, kNow, absl::InfiniteDuration(), trips).tables, SizeIs(1))
      << "The widest window is always wide enough.";
}

TEST_F(MatcherTest, APersonMeetsTheSameBotsAgainAtOnce) {
  for (int i = 0; i < 4; ++i) Join(1500, absl::Seconds(1)).last_tables = {7};
  for (std::size_t i = 1; i < 4; ++i) tickets_[i].bot = true;
  EXPECT_THAT(Run().tables, SizeIs(1));
  tickets_[1].bot = false;
  EXPECT_THAT(Run().tables, IsEmpty()) << "The two people met.";
  tickets_[0].bot = tickets_[1].bot = true;
  EXPECT_THAT(Run().tables, IsEmpty()) << "Bots without people prefer other bots, too.";
}

// Checks three properties on random queues: the order of the input does not matter, every ticket
// either sits at one table or waits, and every table respects windows and blocks.
TEST_F(MatcherTest, RespectsItsContractForAnyQueue) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed=" << seed);
    Rng rng(seed);
    const int seats = 3 + rng.Below(3);
    tickets_.clear();
    for (int n = rng.Below(60); n > 0; --n) {
      MatchTicket& ticket = Join(1200 + rng.Below(700), absl::Milliseconds(rng.Below(90'000)));
      ticket.bot = rng.Below(2) == 0;
      ticket.bots_only = ticket.bot && rng.Below(2) == 0;
      for (std::uint32_t& table : ticket.last_tables) {
        table = static_cast<std::uint32_t>(rng.Below(20));
      }
      if (rng.Below(5) == 0) ticket.blocked = Players({1});
    }
    const auto widening = [this](std::size_t i) {
      const auto near = [&](const MatchTicket& other) {
        return std::abs(other.rating - tickets_[i].rating) <= kNear;
      };
      const auto count = std::count_if(tickets_.begin(), tickets_.end(), near);
      return Widening(tickets_[i].rating, static_cast<std::size_t>(count), tickets_.size());
    };
    const MatchWave wave = Run(seats);
    std::set<std::size_t> seen;
    for (const MatchedTable& table : wave.tables) {
      EXPECT_THAT(table.tickets, SizeIs(static_cast<std::size_t>(seats)));
      const bool people = std::any_of(table.tickets.begin(), table.tickets.end(),
                                      [this](std::size_t i) { return !tickets_[i].bot; });
      for (const std::size_t i : table.tickets) {
        EXPECT_TRUE(seen.insert(i).second);
        if (!people || !tickets_[i].bot) {
          EXPECT_LE(table.spread, RatingWindow(kNow - tickets_[i].create_time, widening(i)));
        }
        for (const std::size_t other : table.tickets) {
          if (other == i) continue;
          EXPECT_LE(tickets_[i].rating - tickets_[other].rating, table.spread);
          EXPECT_FALSE(BlockBetween(tickets_[i], tickets_[other]));
          EXPECT_FALSE(tickets_[i].bots_only && !tickets_[other].bot);
        }
      }
    }
    for (const WaitingTicket& ticket : wave.waiting) EXPECT_TRUE(seen.insert(ticket.ticket).second);
    EXPECT_THAT(seen, SizeIs(tickets_.size()));

    const auto ids = [this](const MatchWave& of) {
      std::vector<std::uint32_t> numbers;
      for (const MatchedTable& table : of.tables) {
        for (const std::size_t i : table.tickets) numbers.push_back(tickets_[i].id);
      }
      return numbers;
    };
    const std::vector<std::uint32_t> before = ids(wave);
    rng.Shuffle(tickets_);
    EXPECT_EQ(ids(Run(seats)), before);
  }
}

// Returns everything that a wave decides, as one list of numbers.
std::vector<std::int64_t> Flat(const MatchWave& wave) {
  std::vector<std::int64_t> numbers;
  const auto add = [&](auto number) { numbers.push_back(static_cast<std::int64_t>(number)); };
  for (const MatchedTable& table : wave.tables) {
    add(table.spread);
    for (const std::size_t i : table.tickets) add(i);
  }
  for (const WaitingTicket& ticket : wave.waiting) {
    add(ticket.ticket);
    add(ticket.position);
    add(ticket.window);
    add(ticket.widening * 1e6);
    add(ticket.reason);
  }
  return numbers;
}

// The queues are crowded or nearly empty. Some queues have blocks, bots, or bots that sit only with
// bots. In some queues, players have common last tables, ratings differ very much, or ages are in
// the future.
TEST_F(MatcherTest, DecidesAsTheReferenceForAnyQueue) {
  int tables = 0;
  std::map<WaitReason, int> reasons;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed=" << seed);
    Rng rng(seed);
    const int seats = 2 + rng.Below(5);
    const int size = rng.Below(seed % 10 == 0 ? 400 : 40);
    const int rating_range = std::array{1, 30, 700, 6000, 100'000'000}[seed % 5];
    const int age_range = std::array{1, 2'500, 90'000, 400'000}[seed / 5 % 4];
    const int bots_in_10 = rng.Below(3) == 0 ? rng.Below(11) : 0;
    const int blocks = rng.Below(3) == 0 ? 0 : rng.Below(12);
    const int last_tables = 1 + rng.Below(std::max(2, size / 3));
    tickets_.clear();
    lists_.clear();
    for (int i = 0; i < size; ++i) {
      MatchTicket& ticket =
          Join(rng.Below(rating_range) - 200, absl::Milliseconds(rng.Below(age_range) - 1'000));
      ticket.bot = rng.Below(10) < bots_in_10;
      ticket.bots_only = ticket.bot && rng.Below(2) == 0;
      for (std::uint32_t& table : ticket.last_tables) {
        table = static_cast<std::uint32_t>(rng.Below(last_tables));
      }
      std::vector<std::uint32_t> blocked;
      for (int block = rng.Below(blocks + 1); block > 0; --block) {
        blocked.push_back(static_cast<std::uint32_t>(rng.Below(size) + 1));
      }
      ticket.blocked = Players(blocked);
    }
    if (rng.Below(3) == 0) {
      for (MatchTicket& ticket : tickets_) {
        ticket.network = static_cast<std::uint32_t>(rng.Below(std::max(2, size / 3)));
      }
    }
    const int regions = rng.Below(3) == 0 ? 1 + rng.Below(5) : 0;
    RoundTrips trips(static_cast<std::size_t>(regions));
    for (int a = 1; a <= regions; ++a) {
      for (int b = a + 1; b <= regions; ++b) {
        trips.Set(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), rng.Below(300));
      }
    }
    for (MatchTicket& ticket : tickets_) {
      ticket.region = static_cast<std::uint8_t>(rng.Below(regions + 1));
    }
    if (rng.Below(2) == 0) rng.Shuffle(tickets_);
    const absl::Duration block_wait =
        rng.Below(2) == 0 ? absl::InfiniteDuration() : absl::Milliseconds(rng.Below(age_range));
    const MatchWave wave = MakeTables(tickets_, seats, kNow, block_wait, trips);
    ASSERT_EQ(Flat(wave), Flat(ReferenceTables(tickets_, seats, kNow, block_wait,
                                               ReferenceRules::kCurrent, trips)));
    tables += static_cast<int>(wave.tables.size());
    for (const WaitingTicket& ticket : wave.waiting) ++reasons[ticket.reason];
  }
  EXPECT_GT(tables, 10'000);
  for (const WaitReason reason :
       {WaitReason::kTooFewPlayers, WaitReason::kRatingsTooFar, WaitReason::kMetJustNow,
        WaitReason::kFarAway, WaitReason::kBlocked, WaitReason::kSameNetwork,
        WaitReason::kKeptForPeople}) {
    EXPECT_GT(reasons[reason], 100) << "reason " << static_cast<int>(reason);
  }
}

}  // namespace
}  // namespace tarot::matching
