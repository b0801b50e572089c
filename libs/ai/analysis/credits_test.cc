#include "libs/ai/analysis/credits.h"

#include <gtest/gtest.h>

#include <bit>

#include "libs/ai/analysis/testing/partners.h"

namespace tarot::ai {
namespace {

using Players = std::array<SimulatedPlayer, rules::kPlayersMax>;

// Returns the mean credit of the player in seat 0 over deals in which seat 1 takes.
double MeanCredit(const SimulatedPlayer& player, int player_count) {
  Players players;
  players[0] = player;
  Rng rng(11);
  double sum = 0;
  int count = 0;
  while (count < 60) {
    const auto credits = CreditDefenders(PlayWithPartners(players, player_count, rng));
    if (!credits || credits->taker != 1 || (credits->defenders & 1u) == 0) continue;
    sum += credits->credits[0];
    ++count;
  }
  return sum / count;
}

TEST(CreditsTest, HelpingTheTakerLosesCredit) {
  for (const int players : {3, 4, 5}) {
    const double honest = MeanCredit({}, players);
    const double helping = MeanCredit({.friend_seat = 1, .helping_cards = 100}, players);
    const double other = MeanCredit({.friend_seat = 2, .helping_cards = 100}, players);
    EXPECT_LT(helping, honest - 0.5) << players << " players";
    EXPECT_NEAR(other, honest, 0.4) << "seat 0 helps seat 2, which does not take";
  }
}

TEST(CreditsTest, DependOnTheDealAlone) {
  Rng rng(4);
  for (int i = 0; i < 20; ++i) {
    const History history = PlayWithPartners({}, 4, rng);
    const auto credits = CreditDefenders(history);
    if (!credits) continue;
    EXPECT_EQ(credits->credits, CreditDefenders(history)->credits);
    EXPECT_EQ(credits->credits[static_cast<std::size_t>(credits->taker)], 0);
    EXPECT_EQ(std::popcount(credits->defenders), 3);
  }
}

TEST(CreditsTest, ADealWithoutAScoreHasNone) {
  Rng rng(4);
  History history = PlayWithPartners({}, 4, rng);
  while (history.entries.size() < 60) history = PlayWithPartners({}, 4, rng);
  EXPECT_TRUE(CreditDefenders(history));
  history.entries.pop_back();
  EXPECT_FALSE(CreditDefenders(history)) << "the deal was left before its end";
  history.entries.resize(4);
  EXPECT_FALSE(CreditDefenders(history)) << "no card was played";
}

}  // namespace
}  // namespace tarot::ai
