#include "libs/ai/bid_belief.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "libs/ai/arena.h"
#include "libs/ai/sampler.h"

namespace tarot::ai {
namespace {

using rules::Contract;

// Returns a deal in which the seat at `place` bids Garde and takes. The écart and the cards are
// those of `novice`, until `cards` cards are played.
rules::Deal Taken(int players, int place, int cards, Rng& rng) {
  rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
  const rules::Seat taker = deal.After(deal.dealer, 1 + place);
  while (deal.phase == rules::Phase::kBidding) {
    const Contract bid = deal.turn == taker ? Contract::kGarde : Contract::kPass;
    Apply(deal, deal.turn, rules::Action::Bid(bid));
  }
  while (deal.phase != rules::Phase::kPlaying || deal.cards_played < cards) {
    const rules::View view = RememberedView(deal, deal.turn);
    Apply(deal, deal.turn, FindPolicy("novice")->Choose(view, Rng(1), {}).action);
  }
  return deal;
}

World TrueWorld(const rules::Deal& deal) { return {.hands = deal.hands, .aside = deal.discard}; }

TEST(BidBeliefTest, TheChancesOfAllBidsAddUpToOne) {
  for (int playing = 3; playing <= 5; ++playing) {
    for (const bool last : {false, true}) {
      for (int margin = -7000; margin <= 7000; margin += 800) {
        double sum = 0;
        for (int bid = 0; bid < kContracts; ++bid) {
          const BidTurn turn{.playing = playing, .last = last};
          sum +=
              std::exp(LogChanceOfBid(turn, static_cast<Contract>(bid), margin) / double{kLogUnit});
        }
        EXPECT_NEAR(sum, 1, 0.1) << playing << " " << margin;
      }
    }
  }
}

TEST(BidBeliefTest, StrongHandsBidMoreOften) {
  for (int playing = 3; playing <= 5; ++playing) {
    const BidTurn turn{.playing = playing};
    EXPECT_GT(LogChanceOfBid(turn, Contract::kPass, -3000),
              LogChanceOfBid(turn, Contract::kPass, 1500));
    EXPECT_LT(LogChanceOfBid(turn, Contract::kGarde, -3000),
              LogChanceOfBid(turn, Contract::kGarde, 0));
  }
}

// The cards of the hand as dealt are the same at every moment of the deal. So the chance of the
// bids in the true world does not change.
TEST(BidBeliefTest, FindsTheHandAsDealtAtEveryCard) {
  for (int players = 3; players <= 5; ++players) {
    const auto chance_after = [&](int cards) {
      Rng rng(7);
      const rules::Deal deal = Taken(players, 1, cards, rng);
      const rules::View view = RememberedView(deal, deal.turn);
      return BidBelief(view, *Know(view)).LogChance(TrueWorld(deal));
    };
    const int first = chance_after(0);
    EXPECT_NE(first, 0);
    // The view belongs to the seat in turn. So the test compares only moments at which the same
    // seat is in turn.
    Rng rng(7);
    const rules::Seat viewer = Taken(players, 1, 0, rng).turn;
    for (int cards = 1; cards < 30; ++cards) {
      Rng same(7);
      if (Taken(players, 1, cards, same).turn != viewer) continue;
      EXPECT_EQ(chance_after(cards), first) << cards;
    }
  }
}

TEST(BidBeliefTest, SaysNothingWithoutAnAuction) {
  rules::View view;
  view.rules = rules::FindRuleSet("fft")->rules;
  view.rules.taker_by = rules::TakerBy::kBoard;
  view.bid_count = 1;
  EXPECT_FALSE(BidBelief(view, Knowledge()).Informs());
}

// Near the end of a deal, few layouts are left. The test weighs each one by the chance of the bids,
// and compares the weights with the frequencies of the sampler.
TEST(BidBeliefTest, TheSamplerDrawsEachWorldAsOftenAsTheBidsAreLikelyInIt) {
  Rng rng(21);
  const rules::Deal deal = Taken(4, 2, 60, rng);
  const rules::View view = RememberedView(deal, deal.turn);
  const Knowledge knowledge = *Know(view);
  const BidBelief belief(view, knowledge);
  constexpr int kSamples = 30'000;
  struct Layout {
    int drawn = 0;
    int log_chance = 0;
    int evenly = 0;
  };
  std::map<std::array<std::uint64_t, 10>, Layout> layouts;
  const auto key = [](const World& world) {
    std::array<std::uint64_t, 10> words{};
    for (std::size_t i = 0; i < world.hands.size(); ++i) {
      words[2 * i] = world.hands[i].suits();
      words[2 * i + 1] = world.hands[i].trumps();
    }
    return words;
  };
  Sampler even(knowledge, view.viewer, view.hand, Rng(1));
  Sampler believing(knowledge, view.viewer, view.hand, Rng(2), &belief);
  for (int i = 0; i < kSamples; ++i) {
    const World& world = even.Next();
    Layout& evenly = layouts[key(world)];
    ++evenly.evenly;
    evenly.log_chance = belief.LogChance(world);
    const World& likely = believing.Next();
    Layout& drawn = layouts[key(likely)];
    ++drawn.drawn;
    drawn.log_chance = belief.LogChance(likely);
  }
  // The test compares the means of LogChance() in the worlds of both samplers. If the worlds of the
  // sampler without a belief are weighted by the chance of the bids, the two means must agree.
  double weights = 0, weighted = 0, drawn = 0, plain = 0;
  for (const auto& [words, layout] : layouts) {
    const double weight = layout.evenly * std::exp(layout.log_chance / double{kLogUnit});
    weights += weight;
    weighted += weight * layout.log_chance;
    drawn += static_cast<double>(layout.drawn) * layout.log_chance;
    plain += static_cast<double>(layout.evenly) * layout.log_chance;
  }
  EXPECT_NEAR(drawn / kSamples, weighted / weights, 0.03 * kLogUnit);
  EXPECT_GT(drawn / kSamples, plain / kSamples);
}

}  // namespace
}  // namespace tarot::ai
