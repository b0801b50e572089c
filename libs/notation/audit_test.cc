#include "libs/notation/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libs/notation/prove.h"
#include "libs/notation/record_bytes.h"
#include "libs/notation/test_records.h"

namespace tarot::notation {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A scored deal as an archive states it.
Document Stored(bool seed) {
  Rng rng(8);
  Record record;
  do {
    record = RandomRecord(*rules::FindRuleSet("fft"), 4, rng);
  } while (record.entries.size() < 76);
  if (!seed) {
    record.seed.reset();
    record.commitment.reset();
  }
  return *DecodeRecord(*EncodeRecord(record));
}

TEST(AuditTest, TrueRecordsPass) {
  EXPECT_THAT(Untruth(Stored(false)), IsEmpty());
  EXPECT_THAT(Untruth(Stored(true)), IsEmpty());
}

TEST(AuditTest, EachLieIsNamed) {
  Document lie = Stored(false);
  (*lie.claims.scores)[0] += 2;
  EXPECT_THAT(Untruth(lie), HasSubstr("score: stated A:"));
  lie = Stored(false);
  ++*lie.claims.attack_half_points;
  EXPECT_THAT(Untruth(lie), HasSubstr("result: stated "));
  lie = Stored(false);
  *lie.claims.bouts = 5;
  EXPECT_THAT(Untruth(lie), HasSubstr("bouts: 5, but it is"));
  lie = Stored(false);
  lie.claims.outcome = rules::Outcome::kAllPassed;
  EXPECT_THAT(Untruth(lie), HasSubstr("ending: stated passed by all"));
  lie = Stored(false);
  std::swap(lie.record.entries[20].action, lie.record.entries[24].action);
  EXPECT_THAT(Untruth(lie), HasSubstr("moves: action "));
  lie = Stored(false);
  lie.record.entries.pop_back();
  EXPECT_THAT(Untruth(lie), HasSubstr("ending: "));
  lie = Stored(false);
  lie.record.rule_set = "nowhere";
  EXPECT_THAT(Untruth(lie), HasSubstr("cards: "));
  lie = Stored(true);
  (*lie.record.seed)[0] ^= 1;
  EXPECT_THAT(Untruth(lie), HasSubstr("seed: it gives other cards"));
}

}  // namespace
}  // namespace tarot::notation
