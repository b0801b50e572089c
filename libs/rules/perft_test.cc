#include "libs/rules/testing/perft.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/testkit/golden.h"

namespace tarot::rules {
namespace {

// Returns a deal that no petit sec cancels.
Deal RunningDeal(const NamedRuleSet& named, int players, std::uint64_t seed) {
  Rng rng(seed * 1000 + static_cast<std::uint64_t>(players));
  Deal deal = RandomDeal(named.rules, players, rng);
  while (deal.phase == Phase::kDone) deal = RandomDeal(named.rules, players, rng);
  return deal;
}

// Plays to the first card. The first seat takes with `contract`; other decisions are random.
void TakeAndDiscard(Deal& deal, Contract contract, Rng& rng) {
  while (deal.phase != Phase::kPlaying) {
    const bool bidding = deal.phase == Phase::kBidding;
    const Action action = bidding ? FirstTakes(deal, contract) : RandomAction(deal, rng);
    ASSERT_TRUE(Apply(deal, deal.turn, action).ok());
  }
}

constexpr int kTricksLeft = 3;

class Rows {
 public:
  void Add(const NamedRuleSet& named, const Deal& deal, std::uint64_t seed, const char* from,
           int depth) {
    const PerftCount count = Perft(deal, depth);
    absl::StrAppend(&text_, std::string(named.name.data(), named.name.size()), ",", deal.players,
                    ",", seed, ",", from, ",", depth, ",", count.lines, ",", count.finished, ",",
                    count.taker_sum, ",", count.half_sum, "\n");
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_ = "rule_set,players,seed,from,depth,lines,finished,taker_sum,half_sum\n";
};

TEST(PerftTest, EqualsTheGoldenTable) {
  Rows rows;
  for (const NamedRuleSet& named : RuleSets()) {
    for (int players = named.rules.players_min; players <= named.rules.players_max; ++players) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Deal deal = RunningDeal(named, players, seed);
        if (deal.phase != Phase::kPlaying) rows.Add(named, deal, seed, "auction", players + 2);
        Rng rng(seed);
        TakeAndDiscard(deal, static_cast<Contract>(1 + seed % 4), rng);
        if (HasFatalFailure()) return;
        rows.Add(named, deal, seed, "first_card", 3);
        while (deal.cards_played < deal.playing * (named.rules.HandSize(players) - kTricksLeft)) {
          ASSERT_TRUE(Apply(deal, deal.turn, RandomAction(deal, rng)).ok());
        }
        rows.Add(named, deal, seed, "last_tricks", kTricksLeft * deal.playing);
      }
    }
  }
  EXPECT_TRUE(testkit::MatchesGolden(TAROT_SOURCE_DIR "/tests/golden/perft.csv", rows.text()));
}

}  // namespace
}  // namespace tarot::rules
