// Tests TableService with the fake store and a clock that the test moves.
#include "services/rules/app/table_service.h"

#include <gtest/gtest.h>

#include <deque>

#include "libs/rules/testing/random_deals.h"
#include "services/rules/app/record_service.h"
#include "services/rules/limits.h"
#include "services/rules/testing/table_service_fixture.h"

namespace tarot::rules_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

// Returns the value and not a reference. So a range-based for loop may use the result of a call
// directly. A loop over `*Call()` would read a destroyed object.
template <typename T>
T Value(absl::StatusOr<T> result) {
  return *std::move(result);
}

constexpr auto kPass = rules::Contract::kPass;

TEST_F(TableServiceTest, BotsPlayAMatchToItsEnd) {
  const TableConfig config = Config(0, 2);
  ASSERT_THAT(process->Start(config), IsOk());
  time.Advance(absl::Minutes(10));
  const TableView view = *process->Get(config.id);
  EXPECT_EQ(view.phase, TablePhase::kFinished);
  EXPECT_EQ(view.deals_scored, 2);
  EXPECT_EQ(view.totals[0] + view.totals[1] + view.totals[2] + view.totals[3], 0);
  EXPECT_EQ(store.ListOutbox(10, 0)->size(), 2u);
  // The scores in the records must add up to the totals of the table.
  RecordService records(store);
  std::array<int, 5> totals{};
  for (const DealRecord& record : Value(records.List({.table = config.id, .limit = 100})).records) {
    EXPECT_EQ(record.deal.phase, rules::Phase::kDone);
    for (std::size_t s = 0; s < 5; ++s) totals[s] += record.deal.result.scores[s];
  }
  EXPECT_EQ(totals, view.totals);
}

TEST_F(TableServiceTest, CreateIsIdempotentAndChecksItsInput) {
  TableConfig config = Config(4);
  EXPECT_THAT(process->tables.Create(config).status(), IsOk());
  EXPECT_THAT(process->tables.Create(config).status(), IsOk());
  config.deal_count = 3;
  EXPECT_THAT(process->tables.Create(config).status(), HasReason("TABLE_EXISTS"));
  for (const auto& spoil : std::vector<std::function<void(TableConfig&)>>{
           [](TableConfig& c) { c.rules.cut_min = 0; },
           [](TableConfig& c) { c.rules.scoring = rules::Scoring::kTakerCountsDifference; },
           [](TableConfig& c) {
             c.seats.pop_back();
             c.seats.pop_back();
           },
           [](TableConfig& c) { c.deal_count = 0; },
           [](TableConfig& c) { c.move_limit = absl::ZeroDuration(); },
           [](TableConfig& c) { c.time_bank = absl::Seconds(-1); },
           [](TableConfig& c) { c.seats[1].player = c.seats[0].player; },
           [](TableConfig& c) { c.seats[1].bot_level = "Not a level!"; }}) {
    TableConfig bad = Config(4);
    spoil(bad);
    EXPECT_THAT(process->tables.Create(bad).status(), HasReason("BAD_REQUEST"));
  }
}

TEST_F(TableServiceTest, ARefusedActionChangesNothing) {
  const TableConfig config = Config(4);
  ASSERT_THAT(process->Start(config), IsOk());
  const int revision = Get(config, 0).revision;
  const auto submit = [&](Submission c) { return process->Submit(c).status(); };

  EXPECT_THAT(submit(Command(config, 1, rules::Action::Bid(kPass))), HasReason("NOT_YOUR_TURN"));
  EXPECT_THAT(submit(Command(config, 0, rules::Action::Play(rules::kPetit))),
              HasReason("ILLEGAL_CARD"));
  EXPECT_THAT(submit(Command(config, 0, rules::Action::Slam(true))), HasReason("ILLEGAL_ACTION"));
  Submission stale = Command(config, 0, rules::Action::Bid(kPass));
  stale.command.expected_revision = 0;
  EXPECT_THAT(submit(stale), HasReason("REVISION_MISMATCH"));
  Submission stranger = Command(config, 0, rules::Action::Bid(kPass));
  stranger.context.caller.player = PlayerId{entropy.NewUuid()};
  EXPECT_THAT(submit(stranger), HasReason("NOT_SEATED"));
  Submission nowhere = Command(config, 0, rules::Action::Bid(kPass));
  nowhere.context.table = TableId{entropy.NewUuid()};
  EXPECT_THAT(submit(nowhere), HasReason("TABLE_NOT_FOUND"));

  EXPECT_EQ(Get(config, 0).revision, revision);
  EXPECT_EQ(store.Load(config.id)->log.size(), static_cast<std::size_t>(revision));
}

TEST_F(TableServiceTest, AnswersARepeatedRequestWithoutANewEntry) {
  const TableConfig config = Config(4);
  ASSERT_THAT(process->Start(config), IsOk());
  const Submission command = Command(config, 0, rules::Action::Bid(kPass));
  ASSERT_THAT(process->Submit(command).status(), IsOk());
  const int revision = Get(config, 0).revision;
  EXPECT_THAT(process->Submit(command).status(), IsOk());
  Restart();
  EXPECT_THAT(process->Submit(command).status(), IsOk()) << "also after a restart";
  EXPECT_EQ(Get(config, 0).revision, revision);
}

TEST_F(TableServiceTest, SettlesAnUnknownCommitByTheLog) {
  for (const auto fault :
       {FakeTableStore::Fault::kLost, FakeTableStore::Fault::kStoredButUnanswered}) {
    const TableConfig config = Config(4);
    ASSERT_THAT(process->Start(config), IsOk());
    const Submission command = Command(config, 0, rules::Action::Bid(kPass));
    store.FailNextAppend(fault);
    EXPECT_TRUE(absl::IsUnavailable(process->Submit(command).status()));
    EXPECT_THAT(process->Submit(command).status(), IsOk());
    EXPECT_EQ(store.Load(config.id)->log.size(), 2u) << "the deal and one bid";
    EXPECT_EQ(Get(config, 1).deal->turn, 1);
  }
}

TEST_F(TableServiceTest, ShowsAnUnknownCommitToOthersWhenItsAuthorIsGone) {
  const TableConfig config = Config(4);
  ASSERT_THAT(process->Start(config), IsOk());
  const auto watcher = std::make_shared<LastView>();
  ASSERT_THAT(process->tables.Watch(config.id, PlayerId{}, -1, watcher).status(), IsOk());
  store.FailNextAppend(FakeTableStore::Fault::kStoredButUnanswered);
  const Submission command = Command(config, 0, rules::Action::Bid(kPass));
  EXPECT_TRUE(absl::IsUnavailable(process->Submit(command).status()));
  EXPECT_EQ(watcher->last->deal->turn, 0);
  time.Advance(absl::Seconds(1));
  EXPECT_EQ(watcher->last->deal->turn, 1);
}

TEST_F(TableServiceTest, PlaysOnAfterEveryFaultOfTheStore) {
  using Fault = FakeTableStore::Fault;
  for (const auto fault :
       {Fault::kLost, Fault::kStoredButUnanswered, Fault::kSlow, Fault::kConflict}) {
    SCOPED_TRACE(static_cast<int>(fault));
    const TableConfig config = Config(0);
    store.FailNextAppend(fault);  // The first deal fails.
    ASSERT_THAT(process->Start(config), IsOk());
    for (int i = 0; i < 20; ++i) {  // Some moves of bots fail.
      time.Advance(absl::Milliseconds(450));
      store.FailNextAppend(fault);
    }
    time.Advance(absl::Minutes(5));
    EXPECT_EQ(process->Get(config.id)->phase, TablePhase::kFinished);
  }
}

TEST_F(TableServiceTest, ReturnsUnavailableForAConflictThatChangedNothing) {
  const TableConfig config = Config(4);
  ASSERT_THAT(process->Start(config), IsOk());
  const Submission command = Command(config, 0, rules::Action::Bid(kPass));
  store.FailNextAppend(FakeTableStore::Fault::kConflict);
  EXPECT_THAT(process->Submit(command).status(), HasReason("STORAGE_AWAY"));
  EXPECT_THAT(process->Submit(command).status(), IsOk());
}

TEST_F(TableServiceTest, AnswersAConflictWithTheSameRequestAsARepeat) {
  const TableConfig config = Config(4);
  ASSERT_THAT(process->Start(config), IsOk());
  const Submission command = Command(config, 0, rules::Action::Bid(kPass));
  Process other(store, time, entropy);
  ASSERT_THAT(other.Submit(command).status(), IsOk());
  store.FailNextAppend(FakeTableStore::Fault::kConflict);
  EXPECT_EQ(Value(process->Submit(command)).revision, command.command.expected_revision + 1);
}

// While one action is being stored, other actions of the table wait in order. If two actions name
// the same revision, the service accepts the first of them. If too many actions of one seat wait,
// the service refuses the next action of this seat at once. Actions of the other seats may still
// wait.
TEST_F(TableServiceTest, QueuesActionsOfATableInOrderAndRefusesTooManyOfOneSeat) {
  const TableConfig config = Config(4);
  ASSERT_THAT(process->Start(config), IsOk());
  const Submission first = Command(config, 0, rules::Action::Bid(kPass));
  const Submission second = Command(config, 0, rules::Action::Bid(rules::Contract::kPrise));
  const std::shared_ptr<Table> table = *process->memory.Get(config.id);
  std::vector<absl::Status> answers;
  const auto submit = [&](const Submission& command) {
    process->tables.Submit(
        command.context, command.command,
        [&](const absl::StatusOr<SeatView>& view) { answers.push_back(view.status()); });
  };
  std::optional<TableLock> lock;
  Table::Enter(table, rules::kNoSeat,
               [&](absl::StatusOr<TableLock> got) { lock.emplace(*std::move(got)); });
  submit(first);
  submit(second);
  submit(first);
  EXPECT_TRUE(answers.empty());
  for (std::size_t i = 3; i < kSeatWaitingMax; ++i) submit(first);
  EXPECT_TRUE(answers.empty());
  submit(first);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_THAT(answers[0], HasReason("TABLE_BUSY"));
  submit(Command(config, 1, rules::Action::Bid(kPass)));
  EXPECT_EQ(answers.size(), 1u);
  lock.reset();
  ASSERT_EQ(answers.size(), kSeatWaitingMax + 2);
  EXPECT_THAT(answers.back(), HasReason("REVISION_MISMATCH"));
  EXPECT_THAT(answers[1], IsOk());
  EXPECT_THAT(answers[2], HasReason("REVISION_MISMATCH"));
  EXPECT_THAT(answers[3], IsOk()) << "the same request";
  EXPECT_EQ(store.Load(config.id)->log.size(), 2u) << "the deal and one bid";
}

// If a player without a seat makes a call, this call must not wait for the table lock. If the table
// is in memory, the call must not read its log.
TEST_F(TableServiceTest, APlayerWithoutASeatCausesNoReadAndNoWait) {
  const TableConfig config = Config(4);
  ASSERT_THAT(process->Start(config), IsOk());
  Submission stranger = Command(config, 0, rules::Action::Bid(kPass));
  stranger.context.caller.player = PlayerId{entropy.NewUuid()};
  stranger.command.expected_revision += 1000;
  std::optional<TableLock> lock;
  Table::Enter(*process->memory.Get(config.id), rules::kNoSeat,
               [&](absl::StatusOr<TableLock> got) { lock.emplace(*std::move(got)); });
  const int loads = store.loads;
  EXPECT_THAT(process->Submit(stranger).status(), HasReason("NOT_SEATED"));
  EXPECT_THAT(process->Resume(stranger.context, stranger.command.request).status(),
              HasReason("NOT_SEATED"));
  EXPECT_EQ(store.loads, loads);
}

// The players see the outcome and the reason. The same seat deals the next deal, and the cancelled
// deal does not count as a deal of the match.
TEST_F(TableServiceTest, AnOperatorCancelsTheRunningDeal) {
  TableConfig config = Config(4);
  config.rules = rules::FindRuleSet("fft")->rules;
  ASSERT_THAT(process->Start(config), IsOk());
  const rules::Seat dealer = Get(config, 0).deal->dealer;
  VoidCommand command{
      .request = RequestId{entropy.NewUuid()}, .deal_number = 2, .reason = "a test"};
  const auto void_deal = [&] {
    absl::StatusOr<TableView> answer = absl::UnknownError("no answer");
    process->tables.VoidDeal(config.id, command, Process::Into(answer));
    return answer;
  };
  EXPECT_THAT(void_deal().status(), HasReason("DEAL_NOT_RUNNING")) << "deal 1 runs";
  command.deal_number = 1;
  const absl::StatusOr<TableView> voided = void_deal();
  ASSERT_THAT(voided.status(), IsOk());
  EXPECT_EQ(voided->deal->result.outcome, rules::Outcome::kVoided);
  EXPECT_EQ(voided->void_reason, "a test");
  EXPECT_EQ(voided->deals_scored, 0);
  EXPECT_THAT(void_deal().status(), IsOk()) << "the same request";
  EXPECT_EQ(store.Load(config.id)->log.size(), 2u) << "the deal and its end";

  Restart();
  EXPECT_EQ(Get(config, 1).void_reason, "a test") << "read from the log";
  process->tables.Wake(config.id, [](const auto&) {});
  time.Advance(kDealPause);
  EXPECT_EQ(Get(config, 1).deal_number, 2);
  EXPECT_EQ(Get(config, 1).deal->dealer, dealer);
  EXPECT_EQ(Get(config, 1).void_reason, "");
}

TEST_F(TableServiceTest, AnOperatorEndsAMatchAtOnce) {
  const TableConfig config = Config(4);
  ASSERT_THAT(process->Start(config), IsOk());
  const VoidCommand command{
      .request = RequestId{entropy.NewUuid()}, .reason = "a fault", .ends_match = true};
  const auto end_match = [&](const VoidCommand& sent) {
    absl::StatusOr<TableView> answer = absl::UnknownError("no answer");
    process->tables.VoidDeal(config.id, sent, Process::Into(answer));
    return answer;
  };
  const absl::StatusOr<TableView> ended = end_match(command);
  ASSERT_THAT(ended.status(), IsOk());
  EXPECT_EQ(ended->phase, TablePhase::kFinished);
  EXPECT_EQ(ended->void_reason, "a fault");
  EXPECT_THAT(end_match(command).status(), IsOk()) << "the same request";
  VoidCommand other = command;
  other.request = RequestId{entropy.NewUuid()};
  EXPECT_THAT(end_match(other).status(), HasReason("MATCH_OVER"));
  const StoredTable stored = store.Load(config.id).value();
  EXPECT_EQ(stored.log.size(), 2u) << "the deal and its end";
  ASSERT_TRUE(stored.end);
  EXPECT_EQ(stored.end->deals_scored, 0);
  for (const OutboxItem& item : store.ListOutbox(10, 0).value()) {
    EXPECT_EQ(item.target, OutboxTarget::kMatchmaking) << "no deal is rated";
  }

  Restart();
  EXPECT_EQ(Get(config, 1).phase, TablePhase::kFinished) << "read from the log";
  time.Advance(kDealPause);
  EXPECT_EQ(Get(config, 1).deal_number, 1) << "no further deal";
}

TEST_F(TableServiceTest, TheRecordOfACancelledDealIsClosedUntilTheMatchIsOver) {
  const TableConfig config = Config(4);
  ASSERT_THAT(process->Start(config), IsOk());
  RecordService records(store);
  const int deals = rules::DealsDealtMax(config.deal_count);
  for (int number = 1; number <= deals; ++number) {
    if (number > 1) {
      EXPECT_THAT(records.Get(config.id, 1).status(), HasReason("RECORD_CLOSED"));
      EXPECT_EQ(store.Load(config.id)->log.back().revision, 2 * number - 2);
      time.Advance(kDealPause);
    }
    absl::StatusOr<TableView> answer = absl::UnknownError("no answer");
    process->tables.VoidDeal(config.id,
                             {.request = RequestId{entropy.NewUuid()},
                              .deal_number = number,
                              .reason = absl::StrCat("reason ", number)},
                             Process::Into(answer));
    ASSERT_THAT(answer.status(), IsOk());
  }
  EXPECT_EQ(Get(config, 0).phase, TablePhase::kFinished);
  const absl::StatusOr<DealRecord> record = records.Get(config.id, 1);
  ASSERT_THAT(record.status(), IsOk());
  EXPECT_EQ(record->deal.result.outcome, rules::Outcome::kVoided);
  EXPECT_EQ(record->void_reason, "reason 1");
  const absl::StatusOr<ScoreSheet> sheet = records.Sheet(config.id);
  ASSERT_THAT(sheet.status(), IsOk());
  ASSERT_EQ(sheet->lines.size(), static_cast<std::size_t>(deals));
  EXPECT_EQ(sheet->lines[1].void_reason, "reason 2");
}

TEST_F(TableServiceTest, BelievesAClaimOfALaterRevisionOncePerSecond) {
  const TableConfig config = Config(4);
  ASSERT_THAT(process->Start(config), IsOk());
  Submission claim = Command(config, 0, rules::Action::Bid(kPass));
  claim.command.expected_revision += 1000;
  const int loads = store.loads;
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(process->Submit(claim).status(), HasReason("REVISION_MISMATCH"));
  }
  EXPECT_EQ(store.loads, loads + 1);
  time.Advance(absl::Seconds(1));
  EXPECT_THAT(process->Submit(claim).status(), HasReason("REVISION_MISMATCH"));
  EXPECT_EQ(store.loads, loads + 2);
}

TEST_F(TableServiceTest, ReturnsRevisionMismatchWhenAnotherProcessWroteFirst) {
  const TableConfig config = Config(4);
  ASSERT_THAT(process->Start(config), IsOk());
  Process other(store, time, entropy);
  Submission theirs = Command(config, 0, rules::Action::Bid(rules::Contract::kPrise));
  ASSERT_THAT(other.Submit(theirs).status(), IsOk());
  const Submission ours = Command(config, 0, rules::Action::Bid(kPass));
  EXPECT_THAT(process->Submit(ours).status(), HasReason("REVISION_MISMATCH"));
  EXPECT_EQ(Get(config, 1).deal->bid_count, 1) << "the table has caught up";
}

// After a failover that lost entries, the service refuses actions for revisions that no longer
// exist. Play continues from the entries that remain.
TEST_F(TableServiceTest, FollowsALogThatHasLostEntries) {
  for (const bool by_clock : {false, true}) {
    const TableConfig config = Config(4);
    ASSERT_THAT(process->Start(config), IsOk());
    const Submission lost = Command(config, 0, rules::Action::Bid(kPass));
    ASSERT_THAT(process->Submit(lost).status(), IsOk());
    const Submission on_top = Command(config, 1, rules::Action::Bid(kPass));
    const auto watcher = std::make_shared<LastView>();
    ASSERT_THAT(process->tables.Watch(config.id, PlayerId{}, -1, watcher).status(), IsOk());
    store.LoseEntries(config.id, 1);
    if (by_clock) {
      time.Advance(absl::Seconds(15) + kClockMoveDelay);
    } else {
      EXPECT_THAT(process->Submit(on_top).status(), HasReason("REVISION_MISMATCH"));
    }
    EXPECT_THAT(watcher->ended.value_or(absl::OkStatus()), HasReason("TABLE_SET_BACK"));
    EXPECT_EQ(store.Load(config.id)->log.size(), 1u) << "the deal only: the clock starts anew";
    EXPECT_THAT(process->Submit(lost).status(), IsOk()) << "stored again";
    EXPECT_THAT(process->Submit(on_top).status(), IsOk()) << by_clock;
  }
  EXPECT_EQ(process->metrics.hosting.tables_set_back.Value(), 2);
}

TEST_F(TableServiceTest, ForgetsATableThatTheDatabaseLost) {
  const TableConfig config = Config(4);
  ASSERT_THAT(process->Start(config), IsOk());
  const auto watcher = std::make_shared<LastView>();
  ASSERT_THAT(process->tables.Watch(config.id, PlayerId{}, -1, watcher).status(), IsOk());
  store.LoseTable(config.id);
  time.Advance(absl::Seconds(15) + kClockMoveDelay);
  EXPECT_THAT(watcher->ended.value_or(absl::OkStatus()), HasReason("TABLE_NOT_FOUND"));
}

// No bot gives a legal answer, so the server passes for the bots in every deal.
TEST_F(TableServiceTest, GoesOnWhileBotsAreAwayOrWrong) {
  for (const bool wrong : {false, true}) {
    process->bots.up = wrong;
    process->bots.wrong = wrong;
    const TableConfig config = Config(0);
    ASSERT_THAT(process->Start(config), IsOk());
    const int start = process->Get(config.id)->revision;
    time.Advance(absl::Minutes(1));
    EXPECT_GT(process->Get(config.id)->revision, start + 40);
    process->bots.up = true;
    process->bots.wrong = false;
    time.Advance(absl::Minutes(5));
    EXPECT_EQ(process->Get(config.id)->phase, TablePhase::kFinished);
  }
}

TEST_F(TableServiceTest, FinishesABegunDealWhileBotsAreAway) {
  const TableConfig config = Config(0);
  ASSERT_THAT(process->Start(config), IsOk());
  const auto get = [&] { return *process->Get(config.id); };
  while (!get().deal || get().deal->phase != rules::Phase::kPlaying) {
    time.Advance(absl::Milliseconds(100));
  }
  process->bots.up = false;
  time.Advance(absl::Minutes(5));
  EXPECT_EQ(get().phase, TablePhase::kFinished);
}

TEST_F(TableServiceTest, ShowsWatchersEveryChangeAndNoHiddenCards) {
  const TableConfig config = Config(0);
  const auto watcher = std::make_shared<LastView>();
  const auto seated = std::make_shared<LastView>();
  ASSERT_THAT(process->tables.Create(config).status(), IsOk());
  ASSERT_THAT(process->tables.Watch(config.id, PlayerId{}, -1, watcher).status(), IsOk());
  ASSERT_THAT(process->tables.Watch(config.id, config.seats[2].player, -1, seated).status(),
              IsOk());
  time.Advance(absl::Milliseconds(450));
  ASSERT_TRUE(watcher->last && seated->last);
  EXPECT_TRUE(watcher->last->deal->hand.Empty());
  EXPECT_TRUE(watcher->last->deal->dog.Empty() || watcher->last->deal->taker != rules::kNoSeat);
  EXPECT_EQ(seated->last->deal->hand.Size(), 18);
  EXPECT_EQ(seated->last->viewer, 2);
  time.Advance(absl::Minutes(5));
  EXPECT_THAT(*watcher->ended, IsOk());
  EXPECT_EQ(watcher->last->phase, TablePhase::kFinished);

  const auto late = std::make_shared<LastView>();
  const int now = watcher->last->revision;
  ASSERT_THAT(process->tables.Watch(config.id, PlayerId{}, now, late).status(), IsOk());
  EXPECT_EQ(late->shown, 0) << "nothing new after that revision";
}

TEST_F(TableServiceTest, ANewProcessAcquiresTablesInPlay) {
  const TableConfig config = Config(0);
  ASSERT_THAT(process->Start(config), IsOk());
  time.Advance(absl::Seconds(3));
  const int revision = process->Get(config.id)->revision;
  EXPECT_GT(revision, 5);
  Restart();  // The new process has no timer before it has called Acquire.
  time.Advance(absl::Minutes(5));
  EXPECT_EQ(process->Get(config.id)->revision, revision);
  EXPECT_THAT(process->tables.Acquire({config.id}), IsOk());
  time.Advance(absl::Minutes(5));
  EXPECT_EQ(process->Get(config.id)->phase, TablePhase::kFinished);
}

}  // namespace
}  // namespace tarot::rules_service
