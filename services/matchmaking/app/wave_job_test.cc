#include "services/matchmaking/app/wave_job.h"

#include <prometheus/text_serializer.h>

#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/base/error.h"
#include "libs/testkit/status_matchers.h"
#include "services/matchmaking/limits.h"
#include "services/matchmaking/testing/process.h"

namespace tarot::matchmaking_service {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

absl::Status Refusal() {
  return Error(absl::StatusCode::kInvalidArgument, "BAD_REQUEST", "No such rule set.");
}

class WaveJobTest : public testing::Test {
 protected:
  std::vector<Ticket> JoinFour() {
    std::vector<Ticket> four;
    for (int i = 0; i < 4; ++i) four.push_back(process_->JoinNew(1500 + i));
    return four;
  }

  void ExpectState(const std::vector<Ticket>& tickets, TicketState state) {
    for (const Ticket& ticket : tickets) EXPECT_EQ(process_->Now(ticket).state, state);
  }

  // Returns the metrics of the process, as Prometheus reads them.
  std::string Series() {
    return prometheus::TextSerializer().Serialize(process_->registry.Collect());
  }

  void Restart() {
    process_.reset();
    process_ = std::make_unique<Process>(environment_);
  }

  ProcessEnvironment environment_;
  std::unique_ptr<Process> process_ = std::make_unique<Process>(environment_);
};

TEST_F(WaveJobTest, SeatsFourPeopleSoonAfterTheFourthTicket) {
  const std::vector<Ticket> four = JoinFour();
  environment_.time.Advance(absl::Milliseconds(250));
  ExpectState(four, TicketState::kMatched);
  ASSERT_THAT(environment_.tables.asked, SizeIs(1));
  const PlannedTable& table = environment_.tables.asked[0];
  EXPECT_EQ(table.queue, "ranked4");
  EXPECT_EQ(table.terms, TestCatalog().queues[0].terms);
  EXPECT_EQ(table.id, process_->Now(four[0]).table);
  EXPECT_GE(table.id.uuid, FirstTimeOrderedUuid(table.create_time));
  EXPECT_LT(table.id.uuid, FirstTimeOrderedUuid(table.create_time + absl::Milliseconds(1)));
  EXPECT_EQ(table.rating_spread, 3);
  std::set<PlayerId> seated;
  for (const PlannedSeat& seat : table.seats) {
    seated.insert(seat.player);
    EXPECT_EQ(seat.bot_level, "");
    EXPECT_EQ(seat.display_name, "Zoë");
  }
  EXPECT_EQ(seated, (std::set{four[0].player, four[1].player, four[2].player, four[3].player}));
  EXPECT_EQ(process_->metrics.Tables("ranked4", Metrics::kMade).Value(), 1);
  EXPECT_EQ(process_->metrics.ranked.wait_seconds.Collect().histogram.sample_count, 4u);
  EXPECT_EQ(process_->metrics.ranked.rating_spread.Collect().histogram.sample_sum, 3);
  EXPECT_THAT(process_->reports, IsEmpty());
}

TEST_F(WaveJobTest, ThreePeopleKeepWaitingInRankedQueue) {
  for (int i = 0; i < 3; ++i) process_->JoinNew();
  environment_.time.Advance(absl::Minutes(10));
  EXPECT_THAT(environment_.tables.asked, IsEmpty());
  EXPECT_THAT(Series(),
              HasSubstr("tarot_matchmaking_tickets_waiting{kind=\"ranked\",queue=\"ranked4\"} 3"));
  EXPECT_THAT(Series(),
              HasSubstr("tarot_matchmaking_tickets_waiting{kind=\"casual\",queue=\"casual4\"} 0"));
}

TEST_F(WaveJobTest, SeriesOfAQueueBeginAtZeroAndFollowTheCatalog) {
  EXPECT_THAT(Series(),
              HasSubstr("tarot_matchmaking_tables_total{outcome=\"made\",queue=\"ranked4\"} 0"));
  Catalog catalog = TestCatalog();
  catalog.queues[0].terms.ranked = false;
  catalog.queues.pop_back();
  ASSERT_THAT(process_->catalog.Apply(catalog), testkit::IsOk());
  environment_.time.Advance(absl::Seconds(2));
  EXPECT_THAT(Series(),
              HasSubstr("tarot_matchmaking_tickets_waiting{kind=\"casual\",queue=\"ranked4\"} 0"));
  EXPECT_THAT(Series(), Not(HasSubstr("kind=\"ranked\",queue")));
  EXPECT_THAT(Series(), Not(HasSubstr("tickets_waiting{kind=\"casual\",queue=\"casual4\"}")));
}

TEST_F(WaveJobTest, CountsEachPersonOnceWhoseWaitIsLong) {
  const auto long_waits = [this] { return process_->metrics.ranked.long_waits.Value(); };
  for (int i = 0; i < 3; ++i) process_->JoinNew();
  environment_.time.Advance(absl::Seconds(59));
  EXPECT_EQ(long_waits(), 0);
  environment_.time.Advance(absl::Seconds(3));
  EXPECT_EQ(long_waits(), 3);
  environment_.time.Advance(absl::Minutes(10));
  EXPECT_EQ(long_waits(), 3);
  process_->JoinNew();
  environment_.time.Advance(absl::Minutes(2));
  EXPECT_EQ(environment_.tables.asked.size(), 1u);
  EXPECT_EQ(long_waits(), 3) << "The fourth person has not waited.";

  for (int i = 0; i < 3; ++i) process_->JoinNew();
  environment_.time.Advance(absl::Minutes(2));
  EXPECT_EQ(long_waits(), 6);
  Restart();
  environment_.time.Advance(absl::Minutes(2));
  EXPECT_EQ(long_waits(), 0) << "The earlier process has counted these people.";
}

TEST_F(WaveJobTest, CountsLongWaitWhileRulesDoesNotAnswer) {
  environment_.tables.answer = absl::UnavailableError("connection refused");
  JoinFour();
  environment_.time.Advance(absl::Minutes(5));
  environment_.tables.answer = absl::OkStatus();
  environment_.time.Advance(absl::Seconds(15));
  EXPECT_EQ(process_->metrics.Tables("ranked4", Metrics::kMade).Value(), 1);
  EXPECT_EQ(process_->metrics.ranked.long_waits.Value(), 4);
}

TEST_F(WaveJobTest, ShufflesTheSeats) {
  std::set<std::size_t> seats_of_the_first;
  for (int table = 0; table < 20; ++table) {
    const std::vector<Ticket> four = JoinFour();
    environment_.time.Advance(absl::Seconds(2));
    const std::vector<PlannedSeat>& seats = environment_.tables.asked.back().seats;
    for (std::size_t i = 0; i < seats.size(); ++i) {
      if (seats[i].player == four[0].player) seats_of_the_first.insert(i);
    }
  }
  EXPECT_THAT(seats_of_the_first, SizeIs(4));
}

TEST_F(WaveJobTest, RefusedTableReturnsTicketsWithTheirAge) {
  environment_.tables.answer = Refusal();
  const std::vector<Ticket> four = JoinFour();
  environment_.time.Advance(absl::Milliseconds(250));
  ExpectState(four, TicketState::kWaiting);
  EXPECT_EQ(process_->Now(four[0]), four[0]);
  EXPECT_EQ(process_->metrics.Tables("ranked4", Metrics::kRefused).Value(), 1);
  EXPECT_THAT(process_->reports, Each(std::string("create table")));

  environment_.tables.answer = absl::OkStatus();
  environment_.time.Advance(absl::Seconds(2));
  ExpectState(four, TicketState::kMatched);
  EXPECT_NE(environment_.tables.asked.front().id, environment_.tables.asked.back().id);
}

TEST_F(WaveJobTest, AsksForSameTableUntilAnswerIsCertain) {
  for (const absl::Status& uncertain :
       {absl::UnavailableError("connection refused"), absl::DeadlineExceededError("late"),
        absl::CancelledError("gone"), absl::InternalError("RST_STREAM"),
        Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "commit unknown")}) {
    SCOPED_TRACE(uncertain.ToString());
    environment_.tables.asked.clear();
    environment_.tables.answer = uncertain;
    const std::vector<Ticket> four = JoinFour();
    environment_.time.Advance(absl::Seconds(9));
    ExpectState(four, TicketState::kPlacing);
    EXPECT_GE(environment_.tables.asked.size(), 3u);
    environment_.tables.answer = absl::OkStatus();
    environment_.time.Advance(absl::Seconds(3));
    ExpectState(four, TicketState::kMatched);
    const PlannedTable& first = environment_.tables.asked[0];
    EXPECT_THAT(environment_.tables.asked, Each(first));
  }
}

TEST_F(WaveJobTest, PlacesManyTablesInBatchesAndKeepsTheRestForLater) {
  environment_.tables.answer = std::nullopt;
  const std::size_t tables = kTablesAskedMax + kTablesPerBatch + 5;
  std::vector<Ticket> all;
  for (std::size_t i = 0; i < 4 * tables; ++i) all.push_back(process_->JoinNew());
  environment_.time.Advance(absl::Milliseconds(250));
  ExpectState(all, TicketState::kPlacing);
  EXPECT_THAT(environment_.tables.batches, Each(kTablesPerBatch));
  EXPECT_EQ(environment_.tables.asked.size(), kTablesAskedMax);
  // The first batch gets its answer: all its tables are refused. Now the next batch can be
  // requested.
  environment_.tables.answer = absl::OkStatus();
  environment_.tables.unanswered[0](Refusal());
  environment_.time.Advance(absl::Milliseconds(50));
  EXPECT_EQ(environment_.tables.asked.size(), tables);
  EXPECT_EQ(process_->metrics.Tables("ranked4", Metrics::kRefused).Value(),
            static_cast<double>(kTablesPerBatch));
  for (std::size_t i = 1; i < environment_.tables.unanswered.size(); ++i) {
    environment_.tables.unanswered[i](absl::OkStatus());
  }
  environment_.time.Advance(absl::Seconds(3));
  ExpectState(all, TicketState::kMatched);
  EXPECT_EQ(process_->metrics.Tables("ranked4", Metrics::kMade).Value(),
            static_cast<double>(tables));
}

TEST_F(WaveJobTest, RestartWhilePlacingFinishesSameTable) {
  environment_.tables.answer = std::nullopt;
  const std::vector<Ticket> four = JoinFour();
  environment_.time.Advance(absl::Milliseconds(250));
  ExpectState(four, TicketState::kPlacing);
  Restart();
  environment_.tables.answer = absl::OkStatus();
  environment_.time.Advance(absl::Seconds(5));
  ExpectState(four, TicketState::kMatched);
  ASSERT_THAT(environment_.tables.asked, SizeIs(2));
  EXPECT_EQ(environment_.tables.asked[0], environment_.tables.asked[1]);
  EXPECT_EQ(process_->metrics.Tables("ranked4", Metrics::kRetried).Value(), 1);
}

TEST_F(WaveJobTest, WaitingTicketsSurviveRestart) {
  const std::vector<Ticket> three = {process_->JoinNew(), process_->JoinNew(), process_->JoinNew()};
  Restart();
  process_->JoinNew();
  environment_.time.Advance(absl::Seconds(3));
  ExpectState(three, TicketState::kMatched);
}

TEST_F(WaveJobTest, AsksAgainAfterMissingAnswer) {
  environment_.tables.answer = std::nullopt;
  const std::vector<Ticket> four = JoinFour();
  environment_.time.Advance(absl::Seconds(9));
  EXPECT_THAT(environment_.tables.asked, SizeIs(1));
  environment_.tables.answer = absl::OkStatus();
  environment_.time.Advance(absl::Seconds(4));
  ExpectState(four, TicketState::kMatched);
  EXPECT_EQ(environment_.tables.asked[0], environment_.tables.asked[1]);
}

TEST_F(WaveJobTest, AsksAgainAfterAnswerThatCouldNotBeStored) {
  const std::vector<Ticket> four = JoinFour();
  environment_.tables.answer = std::nullopt;
  environment_.time.Advance(absl::Milliseconds(250));
  environment_.store.set_failure(absl::UnavailableError("away"));
  environment_.time.Advance(absl::Seconds(20));
  EXPECT_FALSE(process_->reports.empty());
  environment_.store.set_failure(absl::OkStatus());
  environment_.tables.answer = absl::OkStatus();
  environment_.time.Advance(absl::Seconds(3));
  ExpectState(four, TicketState::kMatched);
}

TEST_F(WaveJobTest, CancelDuringWaveWins) {
  const std::vector<Ticket> four = JoinFour();
  environment_.ratings.before_answer = [&] {
    const auto cancelled = process_->tickets.Cancel(four[1].player, four[1].id);
    EXPECT_THAT(cancelled, testkit::IsOk());
  };
  environment_.time.Advance(absl::Milliseconds(250));
  environment_.ratings.before_answer = nullptr;
  ExpectState({four[0], four[2], four[3]}, TicketState::kWaiting);
  ExpectState({four[1]}, TicketState::kCancelled);
  EXPECT_THAT(environment_.tables.asked, IsEmpty());
  process_->JoinNew();
  environment_.time.Advance(absl::Seconds(2));
  ExpectState({four[0], four[2], four[3]}, TicketState::kMatched);
}

TEST_F(WaveJobTest, KeepsDistantRatingsApartUntilWindowGrows) {
  const std::vector<Ticket> four = {process_->JoinNew(1300), process_->JoinNew(1350),
                                    process_->JoinNew(1400), process_->JoinNew(1500)};
  environment_.time.Advance(absl::Seconds(20));
  ExpectState(four, TicketState::kWaiting);
  // The service has requested the ratings of all four tickets once, and does not repeat this
  // request.
  EXPECT_EQ(environment_.ratings.questions, 1);
  environment_.time.Advance(absl::Seconds(10));
  ExpectState(four, TicketState::kMatched);
}

TEST_F(WaveJobTest, MatchesWithPriorWhileRatingsAreAway) {
  environment_.ratings.failure = absl::UnavailableError("away");
  const std::vector<Ticket> four = {process_->JoinNew(1000), process_->JoinNew(1300),
                                    process_->JoinNew(1600), process_->JoinNew(1900)};
  environment_.time.Advance(absl::Milliseconds(250));
  ExpectState(four, TicketState::kMatched);
}

TEST_F(WaveJobTest, MatchesWithLastKnownRatingWhileRatingsAreAway) {
  const Ticket strong = process_->JoinNew(1900);
  environment_.time.Advance(absl::Seconds(3));
  ASSERT_THAT(process_->tickets.Cancel(strong.player, strong.id), testkit::IsOk());
  environment_.ratings.failure = absl::UnavailableError("away");
  const Ticket again = process_->Join(strong.player);
  for (int i = 0; i < 3; ++i) process_->JoinNew();
  environment_.time.Advance(absl::Seconds(10));
  ExpectState({again}, TicketState::kWaiting);
}

TEST_F(WaveJobTest, MatchesWithoutAnswerOfRatings) {
  environment_.ratings.silent = true;
  const std::vector<Ticket> four = JoinFour();
  environment_.time.Advance(absl::Milliseconds(1250));
  ExpectState(four, TicketState::kMatched);
}

TEST_F(WaveJobTest, BotsFillCasualTableAfterDelay) {
  const Ticket alone = process_->JoinNew(1500, "casual4");
  environment_.time.Advance(absl::Milliseconds(7900));
  ExpectState({alone}, TicketState::kWaiting);
  // If a table has bots in free seats, its tickets may have any ratings.
  const Ticket friendly = process_->JoinNew(2200, "casual4");
  environment_.time.Advance(absl::Seconds(2));
  ExpectState({alone, friendly}, TicketState::kMatched);
  ASSERT_THAT(environment_.tables.asked, SizeIs(1));
  const PlannedTable& table = environment_.tables.asked[0];
  EXPECT_FALSE(table.terms.ranked);
  ASSERT_THAT(table.seats, SizeIs(4));
  std::set<PlayerId> players;
  int bots = 0;
  for (const PlannedSeat& seat : table.seats) {
    players.insert(seat.player);
    if (!seat.bot_level.empty()) {
      ++bots;
      EXPECT_EQ(seat.bot_level, "sociable");
    }
    EXPECT_EQ(seat.bot_level.empty(), !seat.ticket.empty());
  }
  EXPECT_THAT(players, SizeIs(4));
  EXPECT_EQ(bots, 2);
  EXPECT_EQ(table.rating_spread, 700);
}

// Bots of the population do not fill casual tables. If a bot no longer belongs to the population
// but still plays a ranked match, it does not fill them either.
TEST_F(WaveJobTest, BotInRankedMatchFillsNoSeat) {
  process_.reset();
  process_ = std::make_unique<Process>(environment_, /*population_size=*/24);
  PlannedTable ranked{.id = TableId{environment_.entropy.NewUuid()}, .queue = "ranked4"};
  for (std::size_t i = 24; i < 30; ++i) {
    const Bot& bot = process_->bots[i];
    const TicketId ticket{environment_.entropy.NewUuid()};
    ASSERT_THAT(
        environment_.store.Create({.id = ticket,
                                   .queue = "ranked4",
                                   .player = bot.player,
                                   .bot_level = bot.level,
                                   .request_id = RequestId{environment_.entropy.NewUuid()}}),
        testkit::IsOk());
    ranked.seats.push_back({.player = bot.player, .bot_level = bot.level, .ticket = ticket});
  }
  ASSERT_THAT(*environment_.store.Place({ranked}), SizeIs(1));
  const Ticket alone = process_->JoinNew(1500, "casual4");
  environment_.time.Advance(absl::Seconds(20));
  ExpectState({alone}, TicketState::kWaiting);
  ASSERT_THAT(process_->tickets.Release(ranked.id), testkit::IsOk());
  environment_.time.Advance(absl::Seconds(3));
  ExpectState({alone}, TicketState::kMatched);
  std::set<PlayerId> queueing;
  for (std::size_t i = 0; i < 24; ++i) queueing.insert(process_->bots[i].player);
  for (const PlannedTable& table : environment_.tables.asked) {
    for (const PlannedSeat& seat : table.seats) {
      EXPECT_FALSE(table.queue == "casual4" && queueing.contains(seat.player));
    }
  }
}

TEST_F(WaveJobTest, PeopleWaitWhenTooFewBotsAreFree) {
  process_.reset();
  process_ = std::make_unique<Process>(environment_, /*population_size=*/29);
  // The roster has 32 bots and the population 29, so three bots may fill free seats. `busy` is one
  // of these three.
  const Bot& busy = process_->bots[31];
  const TicketId ticket{environment_.entropy.NewUuid()};
  ASSERT_THAT(environment_.store.Create({.id = ticket,
                                         .queue = "ranked4",
                                         .player = busy.player,
                                         .bot_level = busy.level,
                                         .request_id = RequestId{environment_.entropy.NewUuid()}}),
              testkit::IsOk());
  const PlannedTable ranked = {.id = TableId{environment_.entropy.NewUuid()},
                               .queue = "ranked4",
                               .seats = {{.player = busy.player, .ticket = ticket}},
                               .create_time = environment_.time.Now()};
  ASSERT_THAT(*environment_.store.Place({ranked}), SizeIs(1));
  const Ticket alone = process_->JoinNew(1500, "casual4");
  environment_.time.Advance(absl::Seconds(20));
  ExpectState({alone}, TicketState::kWaiting);
  EXPECT_THAT(process_->reports, testing::Contains("fill a table"));
  process_->JoinNew(1500, "casual4");
  environment_.time.Advance(absl::Seconds(4));
  ExpectState({alone}, TicketState::kMatched);
}

TEST_F(WaveJobTest, CountsMissedWaves) {
  process_->pool.full = true;
  environment_.time.Advance(absl::Seconds(6));
  EXPECT_EQ(process_->metrics.waves_missed.Value(), 3);
  process_->pool.full = false;
  const std::vector<Ticket> four = JoinFour();
  environment_.time.Advance(absl::Seconds(2));
  ExpectState(four, TicketState::kMatched);
}

// A replica that does not host a queue makes no tables of the queue. But this replica serves the
// watchers of tickets, and it can become the host.
TEST_F(WaveJobTest, OnlyHostPlacesTables) {
  Process other(environment_);
  other.is_host = false;
  std::vector<Ticket> three;
  for (int i = 0; i < 3; ++i) {
    three.push_back(other.JoinNew());
    environment_.time.Advance(absl::Milliseconds(10));
  }
  TicketView seen;
  const auto watcher =
      std::make_shared<const Lobby::Watcher>([&](const TicketView& v) { seen = v; });
  ASSERT_THAT(other.tickets.Watch(three[0].player, three[0].id, watcher), testkit::IsOk());
  environment_.time.Advance(absl::Seconds(3));
  EXPECT_EQ(seen.position, 1);
  EXPECT_EQ(seen.waiting_count, 3);
  EXPECT_EQ(seen.wait_reason, TicketWaitReason::kTooFewPlayers);

  // When another replica has stored a ticket, the host sees this ticket within 450 ms.
  three.push_back(other.JoinNew());
  environment_.time.Advance(absl::Milliseconds(450));
  EXPECT_EQ(seen.ticket.state, TicketState::kMatched);
  ASSERT_THAT(environment_.tables.asked, SizeIs(1));
  EXPECT_EQ(process_->metrics.Tables("ranked4", Metrics::kMade).Value(), 1);
  EXPECT_EQ(other.metrics.Tables("ranked4", Metrics::kMade).Value(), 0);

  process_->is_host = false;
  const std::vector<Ticket> four = JoinFour();
  environment_.time.Advance(absl::Minutes(1));
  ExpectState(four, TicketState::kWaiting);
  other.is_host = true;
  environment_.time.Advance(absl::Milliseconds(2250));
  ExpectState(four, TicketState::kMatched);
}

// A host dies before the answer to its request for a table arrives. The next host makes the same
// table.
TEST_F(WaveJobTest, NextHostFinishesTableOfDeadHost) {
  Process successor(environment_);
  successor.is_host = false;
  environment_.tables.answer = absl::UnavailableError("away");
  const std::vector<Ticket> four = JoinFour();
  environment_.time.Advance(absl::Seconds(1));
  ExpectState(four, TicketState::kPlacing);
  process_.reset();
  environment_.tables.answer = absl::OkStatus();
  environment_.time.Advance(absl::Minutes(1));
  EXPECT_EQ(successor.Now(four[0]).state, TicketState::kPlacing);
  successor.is_host = true;
  environment_.time.Advance(absl::Seconds(3));
  for (const Ticket& ticket : four) {
    EXPECT_EQ(successor.Now(ticket).state, TicketState::kMatched);
    EXPECT_EQ(successor.Now(ticket).table, environment_.tables.asked[0].id);
  }
  EXPECT_THAT(environment_.tables.asked, Each(environment_.tables.asked[0]));
}

// Both replicas believe that they host the queue. When the host changes, this happens for some
// seconds.
TEST_F(WaveJobTest, TwoHostsSeatEachTicketOnce) {
  Process replica(environment_);
  std::vector<Ticket> all;
  for (int i = 0; i < 40; ++i) {
    all.push_back((i % 2 == 0 ? *process_ : replica).JoinNew(1500 + i));
    environment_.time.Advance(absl::Milliseconds(130));
  }
  environment_.time.Advance(absl::Seconds(60));
  ExpectState(all, TicketState::kMatched);
  std::map<TableId, PlannedTable> tables;
  std::multiset<PlayerId> seated;
  for (const PlannedTable& table : environment_.tables.asked) {
    const auto [known, is_new] = tables.emplace(table.id, table);
    EXPECT_EQ(known->second, table);
    if (!is_new) continue;
    for (const PlannedSeat& seat : table.seats) seated.insert(seat.player);
  }
  EXPECT_THAT(seated, SizeIs(40));
  for (const Ticket& ticket : all) EXPECT_EQ(seated.count(ticket.player), 1u);
}

TEST_F(WaveJobTest, EveryReplicaUsesNewTermsWithoutRestart) {
  Process other(environment_);
  other.is_host = false;
  Catalog changed = TestCatalog();
  changed.queues[0].terms.move_limit = absl::Seconds(20);
  ASSERT_THAT(other.catalog.Apply(changed), testkit::IsOk());
  const std::vector<Ticket> four = JoinFour();
  environment_.time.Advance(absl::Milliseconds(250));
  ExpectState(four, TicketState::kMatched);
  ASSERT_THAT(environment_.tables.asked, SizeIs(1));
  EXPECT_EQ(environment_.tables.asked[0].terms.move_limit, absl::Seconds(20));
}

TEST_F(WaveJobTest, AsksAgainWithTheTermsOfTheFirstRequest) {
  environment_.tables.answer = std::nullopt;
  JoinFour();
  environment_.time.Advance(absl::Milliseconds(250));
  Catalog changed = TestCatalog();
  changed.queues[0].terms.move_limit = absl::Seconds(20);
  ASSERT_THAT(process_->catalog.Apply(changed), testkit::IsOk());
  Restart();
  environment_.time.Advance(absl::Seconds(5));
  ASSERT_THAT(environment_.tables.asked, SizeIs(2));
  EXPECT_EQ(environment_.tables.asked[0], environment_.tables.asked[1]);
}

TEST_F(WaveJobTest, ClosedQueueCancelsItsTicketsAndTakesNoMore) {
  const std::vector<Ticket> three = {process_->JoinNew(), process_->JoinNew(), process_->JoinNew()};
  Catalog casual_only = TestCatalog();
  casual_only.queues.erase(casual_only.queues.begin());
  ASSERT_THAT(process_->catalog.Apply(casual_only), testkit::IsOk());
  ExpectState(three, TicketState::kCancelled);
  EXPECT_TRUE(process_->JoinNew().id.empty());
  environment_.time.Advance(absl::Seconds(5));
  const Ticket alone = process_->JoinNew(1500, "casual4");
  environment_.time.Advance(absl::Seconds(11));
  ExpectState({alone}, TicketState::kMatched);
}

TEST_F(WaveJobTest, NothingRunsAfterStop) {
  const std::vector<Ticket> four = JoinFour();
  process_->executor.Stop();
  environment_.time.Advance(absl::Minutes(1));
  ExpectState(four, TicketState::kWaiting);
}

}  // namespace
}  // namespace tarot::matchmaking_service
