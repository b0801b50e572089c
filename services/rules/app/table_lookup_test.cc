#include "services/rules/app/table_lookup.h"

#include <gmock/gmock.h>

#include <vector>

#include "services/rules/limits.h"
#include "services/rules/testing/table_service_fixture.h"

namespace tarot::rules_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

class TableLookupTest : public TableServiceTest {
 protected:
  // Asks about a table that does not exist.
  void AskForNothing() {
    lookup_.Check(TableId{entropy.NewUuid()}, [this](const absl::Status& status) {
      EXPECT_THAT(status, HasReason("TABLE_NOT_FOUND"));
      ++answers_;
    });
  }

  InlineWorkerPool inline_workers_;
  TableLookup lookup_{store, inline_workers_, time};
  int answers_ = 0;
};

TEST_F(TableLookupTest, AnswersManyCallsByFewStatements) {
  for (int i = 0; i < 1'000; ++i) AskForNothing();
  EXPECT_EQ(answers_, 1) << "The first call does not wait.";
  time.Advance(kLookupPause);
  EXPECT_EQ(answers_, 1'000);
  EXPECT_EQ(store.finds, 2);
}

TEST_F(TableLookupTest, BoundsTheStatementsPerSecond) {
  for (int i = 0; i < 1'000; ++i) {
    for (int j = 0; j < 10; ++j) AskForNothing();
    time.Advance(absl::Milliseconds(1));
  }
  time.Advance(kLookupPause);
  EXPECT_EQ(answers_, 10'000);
  EXPECT_LE(store.finds, absl::Seconds(1) / kLookupPause + 2);
}

// A call names a table that does not exist yet, and just afterwards another replica makes the
// table.
TEST_F(TableLookupTest, FindsATableThatWasMadeAMomentAgo) {
  for (int i = 0; i < 100; ++i) AskForNothing();
  const TableConfig config = Config(4);
  absl::Status first = absl::UnknownError("no answer"), second = first;
  lookup_.Check(config.id, [&](const absl::Status& status) { first = status; });
  ASSERT_THAT(store.Create(config).status(), IsOk());
  time.Advance(kLookupPause);
  EXPECT_THAT(first, IsOk());
  lookup_.Check(config.id, [&](const absl::Status& status) { second = status; });
  time.Advance(kLookupPause);
  EXPECT_THAT(second, IsOk());
}

TEST_F(TableLookupTest, RefusesCallsWhenTooManyWait) {
  AskForNothing();
  for (std::size_t i = 0; i < kLookupsWaitingMax; ++i) AskForNothing();
  absl::Status refused;
  lookup_.Check(TableId{entropy.NewUuid()}, [&](const absl::Status& status) { refused = status; });
  EXPECT_THAT(refused, HasReason("OVERLOADED"));
  time.Advance(absl::Seconds(1));
  EXPECT_EQ(answers_, static_cast<int>(kLookupsWaitingMax) + 1) << "The others get their answers.";
}

TEST_F(TableLookupTest, PassesTheErrorOfTheStoreOn) {
  store.set_failure(absl::UnavailableError("away"));
  absl::Status status;
  lookup_.Check(TableId{entropy.NewUuid()}, [&](const absl::Status& answer) { status = answer; });
  EXPECT_TRUE(absl::IsUnavailable(status));
}

TEST_F(TableServiceTest, CallsAboutInventedTablesReadNoLog) {
  int refused = 0;
  for (int i = 0; i < 100; ++i) {
    process->tables.Submit(
        {.caller = {.player = PlayerId{entropy.NewUuid()}}, .table = TableId{entropy.NewUuid()}},
        {.request = RequestId{entropy.NewUuid()}}, [&](const absl::StatusOr<SeatView>& view) {
          EXPECT_THAT(view.status(), HasReason("TABLE_NOT_FOUND"));
          ++refused;
        });
  }
  time.Advance(kLookupPause);
  EXPECT_EQ(refused, 100);
  EXPECT_EQ(store.loads, 0);
  EXPECT_LE(store.finds, 2);
}

// The service has read a finished table for a late watcher. This table must not stay in memory for
// two minutes.
TEST_F(TableServiceTest, ForgetsAFinishedTableThatWasReadAgain) {
  const TableConfig config = Config(0);
  ASSERT_THAT(process->Start(config), IsOk());
  const auto over = [&] { return store.Load(config.id)->end.has_value(); };
  for (int i = 0; i < 3'600 && !over(); ++i) time.Advance(absl::Seconds(1));
  ASSERT_TRUE(over());
  time.Advance(kForgetFinishedAfter + absl::Seconds(1));
  Restart();
  ASSERT_THAT(process->memory.Get(config.id).status(), IsOk());
  process->memory.ForgetFinishedBefore(time.Now() - kForgetFinishedAfter);
  EXPECT_EQ(process->memory.Find(config.id), nullptr);
}

}  // namespace
}  // namespace tarot::rules_service
