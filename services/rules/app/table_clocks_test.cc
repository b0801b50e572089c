// Tests which clock of a table runs, and when it runs.
#include <gtest/gtest.h>

#include "services/rules/testing/table_service_fixture.h"

namespace tarot::rules_service {
namespace {

using testkit::IsOk;

using TableClocksTest = TableServiceTest;

constexpr auto kPass = rules::Contract::kPass;

TEST_F(TableClocksTest, ABotHoldsTheSeatAfterTwoClockMovesUntilThePlayerResumes) {
  const TableConfig config = Config(4);
  ASSERT_THAT(process->Start(config), IsOk());
  // No player moves. The server plays for seat 0 only after the move limit of 10 s and the bank of
  // 5 s.
  time.Advance(absl::Seconds(14));
  EXPECT_EQ(Get(config, 0).deal->turn, 0);
  time.Advance(absl::Seconds(2));
  EXPECT_EQ(Get(config, 0).deal->turn, 1);
  EXPECT_EQ(Get(config, 0).seats[0].time_bank, absl::ZeroDuration());
  EXPECT_FALSE(Get(config, 0).seats[0].held());
  for (int i = 0; i < 120 && !Get(config, 0).seats[0].held(); ++i) time.Advance(absl::Seconds(1));
  EXPECT_EQ(Get(config, 0).seats[0].strikes, 2) << "after two such moves";
  Restart();
  ASSERT_TRUE(Get(config, 0).seats[0].held()) << "a restart changes nothing";
  const absl::StatusOr<TableView> back =
      process->Resume(Context(config, 0), RequestId{entropy.NewUuid()});
  ASSERT_THAT(back.status(), IsOk());
  EXPECT_FALSE(back->seats[0].held());
}

TEST_F(TableClocksTest, ResumeGivesTheSeatInTurnNoNewLimit) {
  const TableConfig config = Config(4, 3);
  ASSERT_THAT(process->Start(config), IsOk());
  for (int i = 0; i < 600 && !Get(config, 0).seats[0].held(); ++i) time.Advance(absl::Seconds(1));
  ASSERT_TRUE(Get(config, 0).seats[0].held());
  // Waits until it is the turn of a seat that no bot holds.
  for (int i = 0; i < 600; ++i) {
    const TableView view = Get(config, 0);
    if (view.phase == TablePhase::kPlaying && view.turn_expire_time < absl::InfiniteFuture()) break;
    time.Advance(absl::Seconds(1));
  }
  const TableView before = Get(config, 0);
  ASSERT_LT(before.turn_expire_time, absl::InfiniteFuture());
  time.Advance(absl::Seconds(1));
  const absl::StatusOr<TableView> back =
      process->Resume(Context(config, 0), RequestId{entropy.NewUuid()});
  ASSERT_THAT(back.status(), IsOk());
  ASSERT_EQ(back->revision, before.revision + 1);
  ASSERT_EQ(back->deal->turn, before.deal->turn);
  EXPECT_EQ(back->turn_expire_time, before.turn_expire_time);
}

TEST_F(TableClocksTest, ChargesNoPlayerForTimeWithoutAServer) {
  const TableConfig config = Config(4);
  ASSERT_THAT(process->Start(config), IsOk());
  process.reset();
  time.Advance(absl::Minutes(3));
  Restart();
  ASSERT_THAT(process->tables.Acquire({config.id}), IsOk());
  time.Advance(absl::Seconds(9));
  ASSERT_THAT(process->Submit(Command(config, 0, rules::Action::Bid(kPass))).status(), IsOk());
  EXPECT_EQ(Get(config, 0).seats[0].time_bank, absl::Seconds(5));
  EXPECT_EQ(Get(config, 0).seats[0].strikes, 0);
}

TEST_F(TableClocksTest, ChargesNoPlayerForTheCommit) {
  const TableConfig config = Config(4);
  ASSERT_THAT(process->Start(config), IsOk());
  store.commit_time = absl::Seconds(3);
  ASSERT_THAT(process->Submit(Command(config, 0, rules::Action::Bid(kPass))).status(), IsOk());
  EXPECT_EQ(Get(config, 1).turn_expire_time, time.Now() + absl::Seconds(15));
  // When the table is loaded again, its clock must not start at the time of the commit, because the
  // players saw the change later.
  process->tables.CatchUp(config.id);
  EXPECT_EQ(Get(config, 1).turn_expire_time, time.Now() + absl::Seconds(15));
  time.Advance(absl::Seconds(9));
  ASSERT_THAT(process->Submit(Command(config, 1, rules::Action::Bid(kPass))).status(), IsOk());
  EXPECT_EQ(Get(config, 1).seats[1].time_bank, absl::Seconds(5));
}

TEST_F(TableClocksTest, TakesTimeBeyondTheLimitFromTheBank) {
  const TableConfig config = Config(4);
  ASSERT_THAT(process->Start(config), IsOk());
  time.Advance(absl::Seconds(12));
  ASSERT_THAT(process->Submit(Command(config, 0, rules::Action::Bid(kPass))).status(), IsOk());
  EXPECT_EQ(Get(config, 0).seats[0].time_bank, absl::Seconds(3));
  EXPECT_EQ(Get(config, 1).turn_expire_time, time.Now() + absl::Seconds(15));
}

}  // namespace
}  // namespace tarot::rules_service
