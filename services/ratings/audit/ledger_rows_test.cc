#include "services/ratings/audit/ledger_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tarot::ratings_service {
namespace {

using testing::HasSubstr;

PlayerId Player(std::uint8_t n) {
  std::array<std::uint8_t, 16> bytes{};
  bytes[0] = n;
  return {Uuid(bytes)};
}

LedgerRow Played(std::uint8_t player, double before, double after) {
  LedgerRow row;
  row.player = Player(player);
  row.player_count = 4;
  row.mu_before = before;
  row.mu_after = after;
  return row;
}

// There are two players. The first player has played two matches, and the second player has played
// one match.
LedgerRows GoodRows() {
  LedgerRows rows;
  rows.ledger = {Played(1, 1500, 1510), Played(2, 1500, 1490), Played(1, 1510, 1505)};
  rows.ladder = {{Player(1), 4, 1505, 2}, {Player(2), 4, 1490, 1}};
  return rows;
}

TEST(CheckLedgerTest, FindsNoProblemInGoodRows) { EXPECT_TRUE(CheckLedger(GoodRows()).empty()); }

TEST(CheckLedgerTest, LeavesOutVoidMatches) {
  LedgerRows rows = GoodRows();
  LedgerRow voided = Played(1, 0, 99);
  voided.voided = true;
  rows.ledger.insert(rows.ledger.begin() + 1, voided);
  EXPECT_TRUE(CheckLedger(rows).empty());
}

TEST(CheckLedgerTest, FindsAMatchThatDoesNotContinueFromThePreviousMatch) {
  LedgerRows rows = GoodRows();
  rows.ledger[2].mu_before = 1511;
  ASSERT_EQ(CheckLedger(rows).size(), 1u);
  EXPECT_THAT(CheckLedger(rows)[0].text, HasSubstr("does not continue"));
}

TEST(CheckLedgerTest, FindsAWrongRatingAWrongCountAndARatingWithoutMatches) {
  for (const auto& spoil :
       std::vector<void (*)(LedgerRows&)>{[](LedgerRows& rows) { rows.ladder[0].mu += 1; },
                                          [](LedgerRows& rows) { rows.ladder[1].match_count = 2; },
                                          [](LedgerRows& rows) {
                                            rows.ladder.push_back({Player(3), 4, 1500, 0});
                                          }}) {
    LedgerRows rows = GoodRows();
    spoil(rows);
    ASSERT_EQ(CheckLedger(rows).size(), 1u);
    EXPECT_THAT(CheckLedger(rows)[0].text, HasSubstr("another rating than the ledger gives"));
  }
}

TEST(CheckLedgerTest, FindsARowThatBelongsToNoMatch) {
  LedgerRows rows = GoodRows();
  rows.strays.push_back("deal 3 in the match with the sequence number 17");
  ASSERT_EQ(CheckLedger(rows).size(), 1u);
  EXPECT_THAT(CheckLedger(rows)[0].text, HasSubstr("is lost: deal 3 in the match"));
}

TEST(CheckLedgerTest, FindsAPlayerOfTheLedgerWithoutARating) {
  LedgerRows rows = GoodRows();
  rows.ladder.pop_back();
  ASSERT_EQ(CheckLedger(rows).size(), 1u);
  EXPECT_THAT(CheckLedger(rows)[0].text, HasSubstr("is in the ledger, but has no rating"));
}

}  // namespace
}  // namespace tarot::ratings_service
