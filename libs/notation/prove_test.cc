#include "libs/notation/prove.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "libs/notation/tdn.h"
#include "libs/notation/test_records.h"

namespace tarot::notation {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A scored deal of five with its seed, and all that follows stated.
Document Sample() {
  Rng rng(5);
  Record record;
  do {
    record = RandomRecord(*rules::FindRuleSet("fft"), 5, rng);
  } while (record.entries.size() < 75);
  return ParseTdn(*WriteTdn(record))->front();
}

std::vector<std::string> False(const Document& document) {
  std::vector<std::string> all;
  for (const Check& check : Prove(document)) {
    if (check.truth == Truth::kFalse) all.push_back(check.what);
  }
  return all;
}

TEST(ProveTest, ATrueRecordPassesEveryCheck) {
  std::vector<std::string> all;
  for (const Check& check : Prove(Sample())) {
    const bool stated = check.what != "unit";  // Not by TDN.
    EXPECT_EQ(check.truth, stated ? Truth::kTrue : Truth::kUnknown)
        << check.what << ": " << check.text;
    all.push_back(check.what);
  }
  EXPECT_THAT(all, ElementsAre("cards", "commitment", "seed", "moves", "ending", "tricks",
                               "contract", "result", "unit", "score"));
}

TEST(ProveTest, EachLieIsFound) {
  Document lie = Sample();
  (*lie.record.commitment)[0] ^= 1;
  EXPECT_THAT(False(lie), ElementsAre("commitment"));
  lie = Sample();
  (*lie.record.seed)[63] ^= 1;
  EXPECT_THAT(False(lie), ElementsAre("commitment", "seed"));
  lie = Sample();
  lie.record.dog |= lie.record.hands[0];
  EXPECT_THAT(False(lie), ElementsAre("cards"));
  lie = Sample();
  lie.record.rule_set = "nowhere";
  EXPECT_THAT(False(lie), ElementsAre("cards"));
  lie = Sample();
  std::swap(lie.record.entries[20], lie.record.entries[21]);
  EXPECT_THAT(False(lie), ElementsAre("moves"));
  lie = Sample();
  lie.record.entries.pop_back();
  EXPECT_THAT(False(lie), ElementsAre("ending", "tricks"));
  lie = Sample();
  lie.claims.winners[3] = (lie.claims.winners[3] + 1) % 5;
  EXPECT_THAT(False(lie), ElementsAre("tricks"));
  lie = Sample();
  lie.claims.taker = (*lie.claims.taker + 1) % 5;
  EXPECT_THAT(False(lie), ElementsAre("contract"));
  lie = Sample();
  lie.claims.attack_half_points = *lie.claims.attack_half_points + 1;
  EXPECT_THAT(False(lie), ElementsAre("result"));
  lie = Sample();
  lie.claims.account.emplace();
  EXPECT_THAT(False(lie), ElementsAre("unit"));
  lie = Sample();
  (*lie.claims.scores)[0] += 1;
  EXPECT_THAT(False(lie), ElementsAre("score"));
}

// Two cards changed hands, and both seats then play by the rules: only the seed tells.
TEST(ProveTest, OtherCardsThanTheSeedGivesAreFound) {
  Document lie = Sample();
  (*lie.record.seed)[0] ^= 1;
  lie.record.commitment = dealing::Commit(*lie.record.seed);
  EXPECT_THAT(False(lie), ElementsAre("seed"));
}

TEST(ProveTest, WhatIsNotStatedIsUnknownAndNotFalse) {
  Document bare = Sample();
  bare.record.seed.reset();
  bare.record.commitment.reset();
  bare.claims = Claims();
  EXPECT_THAT(False(bare), IsEmpty());
  int unknown = 0;
  for (const Check& check : Prove(bare)) unknown += check.truth == Truth::kUnknown ? 1 : 0;
  EXPECT_EQ(unknown, 7);  // Commitment, seed, tricks, contract, result, unit, score.
}

}  // namespace
}  // namespace tarot::notation
