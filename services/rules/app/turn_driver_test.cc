// Tests the timers that the turn driver sets for the clocks of players, with a clock that the test
// moves. table_clocks_test.cc has more tests of clocks.
#include "services/rules/app/turn_driver.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "libs/base/worker_pool.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"
#include "services/rules/testing/fake_table_store.h"
#include "services/rules/testing/hosts_all.h"

namespace tarot::rules_service {
namespace {

using rules::Action;
using testkit::IsOk;

constexpr absl::Duration kDealPause = absl::Seconds(3);

// Counts the tasks that wait.
class CountingScheduler final : public Scheduler {
 public:
  explicit CountingScheduler(Scheduler& scheduler) : scheduler_(scheduler) {}
  void After(absl::Duration delay, absl::AnyInvocable<void()> task) override {
    ++waiting_;
    scheduler_.After(delay, [this, task = std::move(task)]() mutable {
      --waiting_;
      task();
    });
  }
  int waiting() const { return waiting_; }

 private:
  Scheduler& scheduler_;
  int waiting_ = 0;
};

// A bot service that fails after the time `thinking`. After the failure, the fallback policy plays.
class NoBots final : public BotClient {
 public:
  explicit NoBots(Scheduler& scheduler) : scheduler_(scheduler) {}
  void Choose(const BotQuestion& question,
              absl::AnyInvocable<void(absl::StatusOr<rules::Action>)> done) override {
    ++asked;
    level = question.level;
    view = question.view;
    const absl::Status failed = absl::UnavailableError("no bots");
    if (thinking == absl::ZeroDuration()) return done(failed);
    scheduler_.After(thinking, [failed, done = std::move(done)]() mutable { done(failed); });
  }
  absl::Duration thinking;
  int asked = 0;
  std::string level;  // The level that the service last asked for.
  rules::View view;   // The view that the service last sent.

 private:
  Scheduler& scheduler_;
};

class TurnDriverTest : public testing::Test {
 protected:
  TurnDriverTest() {
    tables_.set_on_commit_unknown([this](TableId table) { driver_.OnCommitUnknown(table); });
    tables_.set_on_changed([this](std::shared_ptr<const TableState> s) { driver_.OnChanged(s); });
    config_ = {.id = TableId{entropy_.NewUuid()},
               .rule_set = "fft",
               .rules = rules::FindRuleSet("fft")->rules,
               .deal_count = 100,
               .move_limit = absl::Seconds(10),
               .time_bank = absl::Seconds(5)};
    for (int i = 0; i < 4; ++i) {
      config_.seats.push_back({.player = PlayerId{entropy_.NewUuid()}, .display_name = "P"});
    }
    EXPECT_THAT(tables_.Create(config_).status(), IsOk());
    time_.Advance(kDealPause);
  }

  const rules::Match& Now() {
    state_ = *tables_.Current(config_.id);
    return state_->match;
  }

  void Pass() { Bid(rules::Contract::kPass); }

  // Bids for the seat whose turn it is.
  void Bid(rules::Contract contract) {
    const auto seat = static_cast<std::size_t>(Now().deal.turn);
    absl::Status status = absl::UnknownError("no answer");
    tables_.Submit({.caller = {.player = config_.seats[seat].player}, .table = config_.id},
                   {.request = RequestId{entropy_.NewUuid()},
                    .expected_revision = state_->revision,
                    .action = rules::Action::Bid(contract)},
                   [&status](const auto& view) { status = view.status(); });
    EXPECT_THAT(status, IsOk());
  }

  // Plays until it is the turn of `seat` in a later deal.
  void PassUntilItIs(rules::Seat seat) {
    const int deal = Now().deals_dealt;
    while (!testing::Test::HasFailure() && (Now().deals_dealt == deal || Now().deal.turn != seat)) {
      Pass();
      while (!Now().DealRunning()) time_.Advance(kDealPause);  // A petit sec ends a deal at once.
    }
  }

  FakeTableStore store_;
  testkit::ManualTime time_;
  SeededEntropy entropy_{7};
  CountingScheduler timers_{time_};
  prometheus::Registry registry_;
  Metrics metrics_{registry_};
  TableRegistry memory_{store_, 10, time_};
  HostsAll hosting_;
  InlineWorkerPool workers_;
  NoBots bots_{time_};
  GroupAppender appender_{store_, workers_, time_, timers_, metrics_, {}};
  TableService tables_{store_, appender_, memory_,  hosting_, workers_,
                       time_,  timers_,   entropy_, metrics_};
  TurnDriver driver_{tables_,
                     hosting_,
                     bots_,
                     workers_,
                     time_,
                     timers_,
                     entropy_,
                     metrics_,
                     {.bot_delay = absl::Milliseconds(100),
                      .deal_pause = kDealPause,
                      .bots_only_delay = absl::Milliseconds(100)}};
  TableConfig config_;
  std::shared_ptr<const TableState> state_;
};

TEST_F(TurnDriverTest, PlaysForALaterTurnWhoseClockRunsOut) {
  const rules::Seat first = Now().deal.turn;
  time_.Advance(absl::Seconds(9));
  Pass();
  const rules::Seat second = Now().deal.turn;
  ASSERT_NE(second, first);
  time_.Advance(absl::Seconds(14));  // The timer of the first turn fired 8 s ago.
  EXPECT_EQ(Now().deal.turn, second);
  time_.Advance(absl::Seconds(2));
  EXPECT_NE(Now().deal.turn, second);
  EXPECT_EQ(state_->seats[static_cast<std::size_t>(second)].strikes, 1);
}

TEST_F(TurnDriverTest, PlaysInTimeForASeatWithASmallerBank) {
  const rules::Seat first = Now().deal.turn;
  time_.Advance(absl::Seconds(14));
  Pass();
  ASSERT_EQ(Now().deal.turn, (first + 1) % 4);
  ASSERT_EQ(state_->seats[static_cast<std::size_t>(first)].time_bank, absl::Seconds(1));
  PassUntilItIs(first);
  // This clock runs out before the timer fires: the timer was set for a seat with a full bank.
  time_.Advance(absl::Seconds(10));
  EXPECT_EQ(Now().deal.turn, first);
  time_.Advance(absl::Seconds(2));
  EXPECT_NE(Now().deal.turn, first);
}

TEST_F(TurnDriverTest, ABotPlaysAtTheSameTimeHoweverLongItThinks) {
  TableConfig config = config_;
  config.id = TableId{entropy_.NewUuid()};
  for (SeatConfig& seat : config.seats) seat.bot_level = "novice";
  ASSERT_THAT(tables_.Create(config).status(), IsOk());
  const auto now = [&] { return *tables_.Current(config.id); };
  for (const int thinking : {0, 1, 50, 99}) {
    while (now()->match.DealRunning()) time_.Advance(absl::Milliseconds(1));
    bots_.thinking = absl::Milliseconds(thinking);
    while (!now()->match.DealRunning()) time_.Advance(absl::Milliseconds(1));
    const int revision = now()->revision;
    int waited = 0;
    for (; now()->revision == revision; ++waited) time_.Advance(absl::Milliseconds(1));
    EXPECT_EQ(waited, 100) << thinking;
  }
}

TEST_F(TurnDriverTest, TheCheapestLevelPlaysForPeopleWhoAreAwayFromRankedMatches) {
  for (const bool ranked : {false, true}) {
    TableConfig config = config_;
    config.id = TableId{entropy_.NewUuid()};
    config.ranked = ranked;
    config.seats[0].bot_level = "club";
    ASSERT_THAT(tables_.Create(config).status(), IsOk());
    std::set<std::string> levels;
    for (int i = 0; i < 200; ++i) {
      bots_.level.clear();
      time_.Advance(absl::Seconds(1));
      const auto state = *tables_.Current(config.id);
      if (!bots_.level.empty() && state->match.DealRunning()) levels.insert(bots_.level);
    }
    EXPECT_TRUE(levels.contains("novice")) << "At last, all people are away from the casual table.";
    EXPECT_TRUE(levels.contains("club"));
    EXPECT_EQ(levels.contains("strong"), !ranked);
  }
}

TEST_F(TurnDriverTest, TheCheapestLevelPlaysACasualTableThatAllPeopleHaveLeft) {
  TableConfig config = config_;
  config.id = TableId{entropy_.NewUuid()};
  config.ranked = false;
  config.deal_count = 50;
  for (int seat = 1; seat < 4; ++seat) {
    config.seats[static_cast<std::size_t>(seat)].bot_level = "expert";
  }
  ASSERT_THAT(tables_.Create(config).status(), IsOk());
  const auto held = [&] { return (*tables_.Current(config.id))->seats[0].held(); };
  for (int i = 0; i < 1'000 && !held(); ++i) time_.Advance(absl::Seconds(1));
  ASSERT_TRUE(held());
  time_.Advance(absl::Minutes(10));  // Now bots hold all seats of the fixture's table, too.
  std::set<std::string> levels;
  for (int i = 0; i < 100; ++i) {
    bots_.level.clear();
    time_.Advance(absl::Seconds(1));
    if (!bots_.level.empty()) levels.insert(bots_.level);
  }
  EXPECT_EQ(levels, std::set<std::string>{"novice"});
}

TEST_F(TurnDriverTest, TheRecordSaysWhichActionsABotMadeForAPerson) {
  ASSERT_TRUE(Now().DealRunning());
  const rules::Seat present = state_->match.deal.turn;
  Pass();
  RecordService records(store_);
  // All players pass, so the record of the deal is closed until the match is over.
  for (int i = 0; i < 20'000 && !Now().Finished(); ++i) time_.Advance(absl::Seconds(1));
  const auto record = records.Get(config_.id, 1);
  ASSERT_THAT(record.status(), IsOk());
  ASSERT_EQ(record->entries.size(), 4u);
  for (const DealRecord::Entry& entry : record->entries) {
    EXPECT_EQ(entry.stand_in, entry.seat != present) << entry.seat;
  }
}

// A person remembers cards that were shown and that the rule set no longer shows. A bot service
// remembers nothing between two requests, so each request must contain these cards.
TEST_F(TurnDriverTest, ABotGetsWhatItsSeatRemembers) {
  const rules::Seat taker = Now().deal.turn;
  Bid(rules::Contract::kGarde);
  // The clocks of all players run out, so bots are asked for every seat.
  while (Now().deal.trick_count < 4 || Now().deal.turn != taker) time_.Advance(absl::Seconds(1));
  while (bots_.view.viewer != taker || bots_.view.trick_count < 4) time_.Advance(absl::Seconds(1));
  const rules::Deal& deal = Now().deal;
  EXPECT_EQ(bots_.view.discard, deal.discard);
  EXPECT_EQ(bots_.view.dog, deal.dog);
  EXPECT_EQ(bots_.view.tricks[0].cards, deal.tricks[0].cards);
  const rules::View shown = *MakeTableView(*state_, taker).deal;
  EXPECT_TRUE(shown.discard.Empty() && shown.dog.Empty()) << "a person's view has no closed card";
  EXPECT_EQ(shown.tricks[0].size, 0);
}

// No seat has a choice in the last trick, so the server plays it.
TEST_F(TurnDriverTest, PlaysTheLastTrickAtOnceAndForAllSeats) {
  Bid(rules::Contract::kGarde);
  // No player acts, so the server plays for all seats. The loop stops one card before the last
  // trick begins.
  while (Now().deal.cards_played < 67) time_.Advance(absl::Milliseconds(10));
  ASSERT_EQ(Now().deal.cards_played, 67);
  const auto turn = static_cast<std::size_t>(Now().deal.turn);
  const std::array<SeatState, rules::kPlayersMax> before = state_->seats;
  const int asked = bots_.asked;
  const int revision = state_->revision;
  absl::Status status = absl::UnknownError("no answer");
  tables_.Submit({.caller = {.player = config_.seats[turn].player}, .table = config_.id},
                 {.request = RequestId{entropy_.NewUuid()},
                  .expected_revision = revision,
                  .action = Action::Play(ListLegal(Now().deal).cards.First())},
                 [&status](const auto& view) { status = view.status(); });
  EXPECT_THAT(status, IsOk());
  EXPECT_FALSE(Now().DealRunning());
  EXPECT_EQ(Now().deals_scored, 1);
  EXPECT_EQ(bots_.asked, asked);
  for (std::size_t seat = 0; seat < 4; ++seat) {
    EXPECT_EQ(state_->seats[seat].time_bank, before[seat].time_bank) << seat;
    EXPECT_EQ(state_->seats[seat].strikes, seat == turn ? 0 : before[seat].strikes) << seat;
  }
  RecordService records(store_);
  const auto record = records.Get(config_.id, state_->match.deals_dealt);
  ASSERT_THAT(record.status(), IsOk());
  const std::size_t size = record->entries.size();
  for (std::size_t i = size - 5; i < size; ++i) EXPECT_FALSE(record->entries[i].stand_in);
  const StoredTable stored = *store_.Load(config_.id);
  for (std::size_t i = stored.log.size() - 4; i < stored.log.size(); ++i) {
    EXPECT_EQ(stored.log[i].actor, Actor::kServer);
  }
}

TEST_F(TurnDriverTest, LeavesNoTimersBehindAfterMoves) {
  const int before = timers_.waiting();
  for (int deal = 0; deal < 10; ++deal) PassUntilItIs(Now().deal.turn);
  EXPECT_LE(timers_.waiting(), before + 2);
}

// Random actions lead to every phase. In each phase, the fallback policy must return a legal
// action.
TEST(FallbackPolicyTest, ReturnsALegalActionInEveryRuleSet) {
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    for (int players = named.rules.players_min; players <= named.rules.players_max; ++players) {
      Rng rng(static_cast<std::uint64_t>(players));
      for (int i = 0; i < 20; ++i) {
        rules::Deal deal = rules::RandomDeal(named.rules, players, rng);
        while (deal.phase != rules::Phase::kDone) {
          const rules::Action action = FallbackAction(rules::RememberedView(deal, deal.turn));
          ASSERT_TRUE(rules::Check(deal, deal.turn, action).ok()) << named.name;
          const bool random = deal.phase != rules::Phase::kPlaying || rng.Below(2) == 0;
          ASSERT_TRUE(
              rules::Apply(deal, deal.turn, random ? rules::RandomAction(deal, rng) : action).ok());
        }
      }
    }
  }
}

TEST(FallbackPolicyTest, PassesEveryBid) {
  Rng rng(1);
  rules::Deal deal = rules::RandomDeal(rules::FindRuleSet("fft")->rules, 4, rng);
  while (deal.phase == rules::Phase::kBidding) {
    const rules::Action action = FallbackAction(rules::RememberedView(deal, deal.turn));
    EXPECT_EQ(action, rules::Action::Bid(rules::Contract::kPass));
    ASSERT_TRUE(rules::Apply(deal, deal.turn, action).ok());
  }
  EXPECT_EQ(deal.phase, rules::Phase::kDone);
}

}  // namespace
}  // namespace tarot::rules_service
