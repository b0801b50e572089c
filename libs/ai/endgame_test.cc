#include "libs/ai/endgame.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libs/ai/arena.h"
#include "libs/rules/testing/random_rules.h"

namespace tarot::ai {
namespace {

// Returns the points of `viewer` if both camps play the rest of `deal` at their best.
int BestPoints(const rules::Deal& deal, rules::Seat viewer) {
  if (deal.phase == rules::Phase::kDone) {
    return deal.result.scores[static_cast<std::size_t>(viewer)];
  }
  const bool ours = deal.InAttack(deal.turn) == deal.InAttack(viewer);
  bool first = true;
  int best = 0;
  for (const rules::Card card : ListLegal(deal).cards) {
    rules::Deal next = deal;
    EXPECT_TRUE(Apply(next, deal.turn, rules::Action::Play(card)).ok());
    const int points = BestPoints(next, viewer);
    if (first || (ours ? points > best : points < best)) best = points;
    first = false;
  }
  return best;
}

// Returns the real hidden cards as a world.
World WorldOf(const rules::Deal& deal, const rules::View& view) {
  World world{.hands = deal.hands};
  if (deal.discard.Empty()) {
    world.aside = deal.dog;
  } else if (view.viewer != deal.taker) {
    world.aside = deal.discard - deal.DiscardShown();
  }
  return world;
}

// Returns true if no camp can still get a bonus for a slam or for the Petit au bout.
bool NoBonusOpen(const rules::Deal& deal) {
  int attack_tricks = 0;
  bool petit_early = false;
  for (int i = 0; i + 1 < deal.trick_count; ++i) {
    const rules::Trick& trick = deal.tricks[static_cast<std::size_t>(i)];
    attack_tricks += deal.InAttack(trick.winner) ? 1 : 0;
    petit_early = petit_early || (i + 2 < deal.trick_count &&
                                  std::find(trick.cards.begin(), trick.cards.begin() + trick.size,
                                            rules::kPetit) != trick.cards.begin() + trick.size);
  }
  const int defence_tricks = deal.trick_count - 1 - attack_tricks;
  return petit_early && attack_tricks > 0 && defence_tricks > deal.rules.slam_lost_tricks_max;
}

// Returns the attack's half points above its threshold at the end, if both camps play their best.
int BestMargin(const rules::Deal& deal) {
  if (deal.phase == rules::Phase::kDone) {
    const rules::DealResult& result = deal.result;
    return result.attack_half_points - result.score.needed_half_points;
  }
  bool first = true;
  int best = 0;
  for (const rules::Card card : ListLegal(deal).cards) {
    rules::Deal next = deal;
    EXPECT_TRUE(Apply(next, deal.turn, rules::Action::Play(card)).ok());
    const int margin = BestMargin(next);
    if (first || (deal.InAttack(deal.turn) ? margin > best : margin < best)) best = margin;
    first = false;
  }
  return best;
}

int CompareWithBruteForce(const rules::RuleSet& rules, int players, Rng& rng) {
  const std::vector<const Policy*> seats(static_cast<std::size_t>(players), FindPolicy("novice"));
  rules::Deal deal = RandomDeal(rules, players, rng);
  int compared = 0;
  while (deal.phase != rules::Phase::kDone) {
    const rules::View view = RememberedView(deal, deal.turn);
    if (deal.phase == rules::Phase::kPlaying && view.hand.Size() <= 3 && Endgame::Applies(view)) {
      const World world = WorldOf(deal, view);
      const auto worths = Endgame(view).Solve(world, MakeFastDeal(view, world), 1'000'000);
      EXPECT_EQ(static_cast<int>(worths.size()), view.legal.cards.Size());
      for (const Endgame::Worth& worth : worths) {
        EXPECT_TRUE(view.legal.cards.Contains(worth.card));
        if (!NoBonusOpen(deal)) continue;
        rules::Deal next = deal;
        EXPECT_TRUE(Apply(next, deal.turn, rules::Action::Play(worth.card)).ok());
        EXPECT_EQ(worth.double_points, 2 * BestPoints(next, view.viewer));
        ++compared;
      }
    }
    const Decision next = seats[0]->Choose(view, Rng(0), {});
    EXPECT_TRUE(Apply(deal, deal.turn, next.action).ok());
  }
  return compared;
}

TEST(EndgameTest, MatchesBruteForceInPoints) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Rng rng(seed);
    const int players = 3 + static_cast<int>(seed % 3);
    compared += CompareWithBruteForce(rules::FindRuleSet("fft")->rules, players, rng);
  }
  EXPECT_GT(compared, 300);
}

TEST(EndgameTest, MatchesBruteForceInRandomRuleSets) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Rng rng(seed);
    const rules::RuleSet rules = rules::RandomRuleSet(rng);
    SCOPED_TRACE(RuleSetText(rules));
    const int players = rules.players_min + rng.Below(rules.players_max - rules.players_min + 1);
    compared += CompareWithBruteForce(rules, players, rng);
  }
  EXPECT_GT(compared, 100);
}

TEST(EndgameTest, MatchesBruteForceInMarginsAndContracts) {
  int made = 0, failed = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed);
    const int players = 3 + static_cast<int>(seed % 3);
    rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
    while (deal.phase != rules::Phase::kDone) {
      const rules::View view = RememberedView(deal, deal.turn);
      if (deal.phase == rules::Phase::kPlaying && view.hand.Size() <= 3) {
        const World world = WorldOf(deal, view);
        Endgame endgame(view);
        const Answer answer = endgame.ContractMade(world, MakeFastDeal(view, world), 1'000'000);
        const int margin = BestMargin(deal);
        EXPECT_EQ(answer, margin >= 0 ? Answer::kYes : Answer::kNo);
        ++(margin >= 0 ? made : failed);
        for (const auto& worth : endgame.Solve(world, MakeFastDeal(view, world), 1'000'000)) {
          rules::Deal next = deal;
          EXPECT_TRUE(Apply(next, deal.turn, rules::Action::Play(worth.card)).ok());
          EXPECT_EQ(worth.margin, BestMargin(next));
        }
      }
      const Decision next = FindPolicy("novice")->Choose(view, Rng(0), {});
      ASSERT_TRUE(Apply(deal, deal.turn, next.action).ok());
    }
  }
  EXPECT_GT(made, 30);
  EXPECT_GT(failed, 30);
}

TEST(EndgameTest, ReturnsNothingWhenTheNodesRunOut) {
  Rng rng(1);
  rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, 4, rng);
  while (deal.phase != rules::Phase::kPlaying ||
         deal.hands[static_cast<std::size_t>(deal.turn)].Size() > 8) {
    const rules::View view = RememberedView(deal, deal.turn);
    ASSERT_TRUE(Apply(deal, deal.turn, FindPolicy("novice")->Choose(view, Rng(0), {}).action).ok());
  }
  const rules::View view = RememberedView(deal, deal.turn);
  const World world = WorldOf(deal, view);
  Endgame endgame(view);
  EXPECT_TRUE(endgame.Solve(world, MakeFastDeal(view, world), 5).empty());
  EXPECT_LE(endgame.nodes(), 10u);
}

}  // namespace
}  // namespace tarot::ai
