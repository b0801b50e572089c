// Tests the sums of the lines of a score. The lines must add up to the card points of the attack
// and to the unit. The unit times the share of each seat must be the score of this seat.
#include "libs/rules/score_lines.h"

#include <gtest/gtest.h>

#include "libs/rules/testing/random_deals.h"
#include "libs/rules/testing/random_rules.h"
#include "libs/rules/testing/test_table.h"

namespace tarot::rules {
namespace {

// Counts the kinds of lines in the deals of a test.
struct Seen {
  int scored = 0;
  std::array<int, 5> sources{};
  std::array<int, 7> kinds{};
};

void ExpectLinesAddUp(const Deal& deal, Seen& seen) {
  const View view = MakeView(deal, kNoSeat);
  const std::optional<ScoreLines> known = LinesOf(view);
  ASSERT_EQ(known.has_value(), deal.result.outcome == Outcome::kScored && deal.taker != kNoSeat);
  if (!known) return;
  const ScoreLines& lines = *known;
  ++seen.scored;
  int half_points = 0;
  for (const CardPointsLine& line : lines.card_points) {
    half_points += line.half_points;
    ++seen.sources[static_cast<std::size_t>(line.source)];
  }
  ASSERT_EQ(half_points, deal.result.attack_half_points);
  int unit = 0;
  int handfuls = 0;
  for (const UnitLine& line : lines.unit) {
    unit += line.points;
    ++seen.kinds[static_cast<std::size_t>(line.kind)];
    if (line.kind == UnitLine::Kind::kHandful) handfuls += line.points;
    const int factor = line.base + line.difference;
    if (line.multiplier != 0) {
      ASSERT_EQ(std::abs(line.points), factor * line.multiplier);
    }
    if (line.kind == UnitLine::Kind::kRounding) {
      ASSERT_LT(std::abs(line.points), deal.rules.round_scores_to);
    }
  }
  ASSERT_EQ(unit, deal.result.score.unit);
  ASSERT_EQ(handfuls, deal.result.score.handful_points);
  for (Seat seat = 0; seat < deal.players; ++seat) {
    const auto at = static_cast<std::size_t>(seat);
    ASSERT_EQ(lines.shares[at] * deal.result.score.unit, deal.result.scores[at]) << seat;
  }
}

Deal PlayRandomDeal(const RuleSet& rules, int players, Rng& rng) {
  Deal deal = RandomDeal(rules, players, rng);
  while (deal.phase != Phase::kDone) {
    // With random bids, all seats would pass in most deals. So the first seat always takes.
    const Action action = deal.phase == Phase::kBidding
                              ? FirstTakes(deal, static_cast<Contract>(1 + rng.Below(4)))
                              : RandomAction(deal, rng);
    Apply(deal, deal.turn, action);
  }
  return deal;
}

TEST(ScoreLinesTest, AddUpForAThousandRandomDealsOfEachRuleSet) {
  Rng rng(18);
  Seen seen;
  for (const NamedRuleSet& named : RuleSets()) {
    for (int i = 0; i < 1'000; ++i) {
      const int range = named.rules.players_max - named.rules.players_min + 1;
      const int players = named.rules.players_min + i % range;
      ExpectLinesAddUp(PlayRandomDeal(named.rules, players, rng), seen);
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << named.name << " deal " << i;
    }
  }
  EXPECT_GT(seen.scored, 5'000);
  for (std::size_t source = 1; source < seen.sources.size(); ++source) {
    EXPECT_GT(seen.sources[source], 50) << source;
  }
  for (const UnitLine::Kind kind : {UnitLine::Kind::kContract, UnitLine::Kind::kPetitAuBout,
                                    UnitLine::Kind::kHandful, UnitLine::Kind::kSlam}) {
    EXPECT_GT(seen.kinds[static_cast<std::size_t>(kind)], 10) << static_cast<int>(kind);
  }
}

TEST(ScoreLinesTest, AddUpUnderRandomRuleSets) {
  Rng rng(81);
  Seen seen;
  for (int i = 0; i < 1'000; ++i) {
    const RuleSet rules = RandomRuleSet(rng);
    const int range = rules.players_max - rules.players_min + 1;
    ExpectLinesAddUp(PlayRandomDeal(rules, rules.players_min + i % range, rng), seen);
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "deal " << i;
  }
  EXPECT_GT(seen.kinds[static_cast<std::size_t>(UnitLine::Kind::kRounding)], 10);
  EXPECT_GT(seen.kinds[static_cast<std::size_t>(UnitLine::Kind::kHonours)], 10);
}

}  // namespace
}  // namespace tarot::rules
