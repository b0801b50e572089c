// Tests the score: the examples in the federation's text, and properties of the formula.
#include "libs/rules/scoring.h"

#include <gtest/gtest.h>

namespace tarot::rules {
namespace {

RuleSet Fft() { return FindRuleSet("fft")->rules; }

TEST(ScoringTest, ExampleOfTheFederationGardeWithHandfulAndPetitPays106) {
  // Tests a Garde with 2 bouts, 49 points, a handful and the Petit au bout.
  const Score s = ComputeScore(Fft(), {.contract = Contract::kGarde,
                                       .bouts = 2,
                                       .attack_half_points = 98,
                                       .petit_au_bout = 1,
                                       .attack_handfuls = {0, 1, 0, 0}});
  EXPECT_EQ(s.unit, 106);
  EXPECT_EQ(s.taker, 318);
  EXPECT_EQ(s.defender, -106);
}

TEST(ScoringTest, ExampleOfTheFederationGardeSansAgainstThePetitPays76) {
  // The attack makes a Garde sans with 4 points more than it needs; the defence has the Petit au
  // bout.
  EXPECT_EQ(ComputeScore(Fft(), {.contract = Contract::kGardeSans,
                                 .bouts = 2,
                                 .attack_half_points = 90,
                                 .petit_au_bout = -1})
                .unit,
            76);
}

TEST(ScoringTest, ExampleOfTheFederationPriseDownBySevenCosts42) {
  // A Prise fails by 7 points. The attack loses the points of its handful and gets the Petit au
  // bout.
  EXPECT_EQ(ComputeScore(Fft(), {.contract = Contract::kPrise,
                                 .bouts = 2,
                                 .attack_half_points = 68,
                                 .petit_au_bout = 1,
                                 .attack_handfuls = {0, 1, 0, 0}})
                .unit,
            -42);
}

TEST(ScoringTest, ExampleOfTheFederationAnnouncedSlamPays582) {
  // An announced slam, a handful and the Petit au bout give 582 points.
  EXPECT_EQ(ComputeScore(Fft(), {.contract = Contract::kGarde,
                                 .bouts = 2,
                                 .attack_half_points = 174,
                                 .petit_au_bout = 1,
                                 .attack_handfuls = {0, 1, 0, 0},
                                 .slam = SlamOutcome::kAnnouncedMade})
                .unit,
            582);
}

TEST(ScoringTest, HalfPointGoesToTheWinnerOfTheContract) {
  const auto three = [](int half) {
    return ComputeScore(
               Fft(),
               {.players = 3, .contract = Contract::kPrise, .bouts = 2, .attack_half_points = half})
        .unit;
  };
  // The attack has 40.5 points: half a point is missing, so the contract fails by one point.
  EXPECT_EQ(three(81), -26);
  EXPECT_EQ(three(82), 25);
  EXPECT_EQ(three(83), 26);  // With 41.5 points, the difference is one point.
}

TEST(ScoringTest, BoutsSetTheThreshold) {
  const int needed[] = {112, 102, 82, 72};
  for (int bouts = 0; bouts <= 3; ++bouts) {
    const int need = needed[bouts];
    EXPECT_TRUE(ComputeScore(Fft(), {.bouts = bouts, .attack_half_points = need}).won);
    EXPECT_FALSE(ComputeScore(Fft(), {.bouts = bouts, .attack_half_points = need - 1}).won);
    EXPECT_EQ(ComputeScore(Fft(), {.bouts = bouts, .attack_half_points = need}).unit, 50);
  }
}

TEST(ScoringTest, FailedSlamAndSlamOfTheDefenceAdd) {
  const ScoreInput lost{.bouts = 0, .attack_half_points = 12, .slam = SlamOutcome::kDefence};
  EXPECT_EQ(ComputeScore(Fft(), lost).slam_points, -200);
  ScoreInput both = lost;
  both.slam = SlamOutcome::kAnnouncedFailedDefence;
  EXPECT_EQ(ComputeScore(Fft(), both).slam_points, -400);
}

TEST(ScoringTest, OppositeHandfulsAddUpForTheWinner) {
  EXPECT_EQ(ComputeScore(Fft(), {.bouts = 2,
                                 .attack_half_points = 90,
                                 .attack_handfuls = {0, 0, 1, 0},
                                 .defence_handfuls = {0, 1, 0, 0}})
                .unit,
            108);
}

TEST(ScoringTest, BookletCountsThePetitAmongThePoints) {
  const RuleSet booklet = FindRuleSet("booklet")->rules;
  const Score s = ComputeScore(booklet, {.bouts = 2, .attack_half_points = 76, .petit_au_bout = 1});
  EXPECT_TRUE(s.won);  // The bonus raises 38 points to 48, and the threshold is 41.
  EXPECT_EQ(s.unit, 64);
}

// The scores sum to zero, except in practice games 2 and 3, where only the taker scores.
TEST(ScoringTest, SumsToZeroForEveryInput) {
  for (const NamedRuleSet& named : RuleSets()) {
    const bool practice = named.rules.scoring != Scoring::kNormal;
    if (named.rules.teams == Teams::kEveryoneAlone) continue;
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      for (int half = 0; half <= kTotalHalfPoints; ++half) {
        for (int bouts = 0; bouts <= 3; ++bouts) {
          for (const bool partner : {false, n == 5}) {
            const Score s = ComputeScore(named.rules, {.players = n,
                                                       .bouts = bouts,
                                                       .attack_half_points = half,
                                                       .petit_au_bout = half % 3 - 1,
                                                       .has_partner = partner});
            const int defenders = n - (partner ? 2 : 1);
            ASSERT_EQ(s.taker + s.partner + defenders * s.defender, practice ? s.unit : 0);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tarot::rules
