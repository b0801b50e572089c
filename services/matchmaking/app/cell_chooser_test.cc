#include "services/matchmaking/app/cell_chooser.h"

#include <gtest/gtest.h>

#include "libs/base/cell.h"
#include "libs/base/error.h"
#include "services/matchmaking/limits.h"
#include "services/matchmaking/testing/process.h"

namespace tarot::matchmaking_service {
namespace {

bool AllowsAll(int) { return true; }

class CellChooserTest : public testing::Test {
 protected:
  SeededEntropy entropy_{3};
  testkit::ManualTime time_;
  TimerPool pool_{time_};
  Executor executor_{time_, pool_};
  FakeTableClient tables_;
  prometheus::Registry registry_;
  Metrics metrics_{registry_};
};

TEST_F(CellChooserTest, TheOnlyCellGetsAllTablesAndIsNotAsked) {
  CellChooser cells({4}, metrics_);
  cells.Start(executor_, tables_);
  time_.Advance(absl::Seconds(10));
  cells.NoteAway(4);
  EXPECT_EQ(cells.Choose(entropy_, AllowsAll), 4);
  EXPECT_EQ(cells.Choose(entropy_, [](int) { return false; }), std::nullopt);
}

TEST_F(CellChooserTest, TheChanceOfACellIsInProportionToItsFreeTables) {
  tables_.free_tables = {{0, 30'000'000}, {1, 10'000'000}, {2, 0}};
  CellChooser cells({0, 1, 2}, metrics_);
  EXPECT_EQ(cells.Choose(entropy_, AllowsAll), std::nullopt) << "no cell has answered";
  cells.Start(executor_, tables_);
  time_.Advance(absl::Milliseconds(1));
  std::map<int, int> chosen;
  for (int i = 0; i < 4'000; ++i) ++chosen[*cells.Choose(entropy_, AllowsAll)];
  EXPECT_NEAR(chosen[0], 3'000, 150);
  EXPECT_EQ(chosen[2], 0);
  const auto not_zero = [](int cell) { return cell != 0; };
  for (int i = 0; i < 20; ++i) EXPECT_EQ(cells.Choose(entropy_, not_zero), 1);
}

TEST_F(CellChooserTest, EachChosenTableTakesAFreeTable) {
  tables_.free_tables = {{0, 2}, {1, 1}};
  CellChooser cells({0, 1}, metrics_);
  cells.Start(executor_, tables_);
  time_.Advance(absl::Milliseconds(1));
  for (int i = 0; i < 3; ++i) EXPECT_NE(cells.Choose(entropy_, AllowsAll), std::nullopt);
  EXPECT_EQ(cells.Choose(entropy_, AllowsAll), std::nullopt);
  time_.Advance(kCapacityEvery);
  EXPECT_NE(cells.Choose(entropy_, AllowsAll), std::nullopt);
}

TEST_F(CellChooserTest, ACellThatDoesNotAnswerGetsNoTablesUntilItAnswers) {
  tables_.free_tables = {{0, 100}, {1, 100}};
  CellChooser cells({0, 1}, metrics_);
  cells.Start(executor_, tables_);
  time_.Advance(absl::Milliseconds(1));
  const auto only_zero = [&] {
    for (int i = 0; i < 20; ++i) {
      if (cells.Choose(entropy_, AllowsAll) != 0) return false;
    }
    return true;
  };
  EXPECT_FALSE(only_zero());
  cells.NoteAway(1);
  EXPECT_TRUE(only_zero());
  time_.Advance(kCapacityEvery);
  EXPECT_FALSE(only_zero());
  tables_.silent_cells = {1};
  time_.Advance(kCapacityEvery);
  EXPECT_TRUE(only_zero());
  tables_.silent_cells = {};
  time_.Advance(kCapacityEvery);
  EXPECT_FALSE(only_zero());
}

// The waves of a matchmaking process with the cells 0 and 1.
class CellsOfWavesTest : public testing::Test {
 protected:
  CellsOfWavesTest() {
    environment_.tables.free_tables = {{0, 100'000}, {1, 100'000}};
    process_.emplace(environment_, 0, std::vector{0, 1});
    environment_.time.Advance(absl::Milliseconds(10));
  }

  std::vector<Ticket> JoinForTables(int tables) {
    std::vector<Ticket> tickets;
    for (int i = 0; i < 4 * tables; ++i) tickets.push_back(process_->JoinNew());
    return tickets;
  }
  // Returns the number of requests for tables of this cell so far.
  std::size_t AskedIn(int cell) {
    std::size_t count = 0;
    for (const PlannedTable& table : environment_.tables.asked) {
      if (CellOf(table.id.uuid) == cell) ++count;
    }
    return count;
  }

  ProcessEnvironment environment_;
  std::optional<Process> process_;
};

TEST_F(CellsOfWavesTest, TablesAreMadeInBothCells) {
  const std::vector<Ticket> tickets = JoinForTables(100);
  environment_.time.Advance(absl::Seconds(3));
  for (const Ticket& ticket : tickets) {
    EXPECT_EQ(process_->Now(ticket).state, TicketState::kMatched);
  }
  EXPECT_GT(AskedIn(0), 25u);
  EXPECT_GT(AskedIn(1), 25u);
  EXPECT_EQ(AskedIn(0) + AskedIn(1), 100u);
}

TEST_F(CellsOfWavesTest, ATableWithoutAnAnswerStaysInItsCell) {
  environment_.tables.silent_cells = {1};  // The process still believes that the cell has room.
  std::vector<Ticket> tickets = JoinForTables(40);
  environment_.time.Advance(absl::Milliseconds(300));
  std::vector<Ticket> in_one;
  for (const Ticket& ticket : tickets) {
    const Ticket now = process_->Now(ticket);
    if (CellOf(now.table.uuid) == 1) in_one.push_back(now);
  }
  ASSERT_FALSE(in_one.empty());
  environment_.time.Advance(absl::Seconds(60));
  for (const Ticket& ticket : in_one) {
    EXPECT_EQ(process_->Now(ticket).state, TicketState::kPlacing);
    EXPECT_EQ(process_->Now(ticket).table, ticket.table);
  }
  // All later tables are made in the other cell.
  const std::size_t asked = AskedIn(0);
  const std::vector<Ticket> later = JoinForTables(40);
  environment_.time.Advance(absl::Seconds(3));
  for (const Ticket& ticket : later) {
    EXPECT_EQ(process_->Now(ticket).state, TicketState::kMatched);
    EXPECT_EQ(CellOf(process_->Now(ticket).table.uuid), 0);
  }
  EXPECT_EQ(AskedIn(0), asked + 40);
  environment_.tables.silent_cells = {};
  environment_.time.Advance(kAnswerMax + absl::Seconds(5));
  for (const Ticket& ticket : in_one) {
    EXPECT_EQ(process_->Now(ticket).state, TicketState::kMatched);
    EXPECT_EQ(process_->Now(ticket).table, ticket.table);
  }
}

// A cell that answers about its capacity, but makes no tables, must not use up the tables that the
// other cell may have without an answer.
TEST_F(CellsOfWavesTest, TheLimitOfTablesWithoutAnAnswerIsForEachCell) {
  environment_.tables.answer = std::nullopt;
  std::vector<PlannedTable> tables(kTablesPlacedMax);
  for (PlannedTable& table : tables) {
    table.id = TableId{NewTableUuid(environment_.entropy, environment_.time.Now(), 1)};
  }
  process_->placer.Ask(tables);
  EXPECT_EQ(process_->placer.Room(1), 0u);
  EXPECT_EQ(process_->placer.Room(0), kTablesPlacedMax);
  EXPECT_EQ(AskedIn(1), kTablesAskedMax);
  environment_.tables.answer = absl::OkStatus();
  JoinForTables(20);
  environment_.time.Advance(absl::Seconds(3));
  EXPECT_EQ(AskedIn(0), 20u);
  EXPECT_EQ(AskedIn(1), kTablesAskedMax);
}

TEST_F(CellsOfWavesTest, AWrongAddressOfACellLosesNoTable) {
  environment_.tables.answer =
      Error(absl::StatusCode::kFailedPrecondition, "WRONG_CELL", "Another cell.");
  const std::vector<Ticket> four = JoinForTables(1);
  environment_.time.Advance(absl::Seconds(10));
  const Ticket placed = process_->Now(four[0]);
  EXPECT_EQ(placed.state, TicketState::kPlacing);
  environment_.tables.answer = absl::OkStatus();
  environment_.time.Advance(absl::Seconds(10));
  EXPECT_EQ(process_->Now(four[0]).state, TicketState::kMatched);
  EXPECT_EQ(process_->Now(four[0]).table, placed.table);
}

}  // namespace
}  // namespace tarot::matchmaking_service
