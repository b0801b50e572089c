#include <gmock/gmock.h>

#include "libs/ai/arena.h"
#include "libs/ai/sampler.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::CardSet;
using rules::Contract;
using rules::Deal;

// Returns a random deal after its auction, in which the first bidder took with `contract`.
Deal Taken(int players, Contract contract, Rng& rng) {
  Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
  const rules::Seat taker = deal.turn;
  while (deal.phase == rules::Phase::kBidding) {
    const Contract bid = deal.turn == taker ? contract : Contract::kPass;
    EXPECT_TRUE(Apply(deal, deal.turn, Action::Bid(bid)).ok());
  }
  return deal;
}

int Voids(CardSet hand) {
  int voids = 0;
  for (int suit = 0; suit < 4; ++suit) {
    voids += (hand & CardSet::OfSuit(static_cast<rules::Suit>(suit))).Empty() ? 1 : 0;
  }
  return voids;
}

void ExpectStillTrue(const Knowledge& known, rules::Seat taker, const World& drawn,
                     const World& world) {
  const auto seat = static_cast<std::size_t>(taker);
  EXPECT_EQ(world.hands[seat] | world.aside, drawn.hands[seat] | drawn.aside);
  EXPECT_EQ(world.aside.Size(), drawn.aside.Size());
  EXPECT_TRUE((world.hands[seat] & world.aside).Empty());
  EXPECT_TRUE(known.may[seat].ContainsAll(world.hands[seat]));
  EXPECT_TRUE(known.may[kAside].ContainsAll(world.aside));
  for (std::size_t other = 0; other < world.hands.size(); ++other) {
    if (other == seat) continue;
    EXPECT_EQ(world.hands[other], drawn.hands[other]);
  }
}

TEST(LikelyDiscardTest, KeepsKnownFactsAndEmptiesSuits) {
  const Policy& novice = *FindPolicy("novice");
  int drawn_voids = 0, likely_voids = 0, true_voids = 0;
  for (std::uint64_t seed = 0; seed < 90; ++seed) {
    Rng rng(seed);
    const int players = 3 + static_cast<int>(seed % 3);
    Deal deal = Taken(players, Contract::kGarde, rng);
    while (deal.phase != rules::Phase::kDone) {
      const rules::View view = RememberedView(deal, deal.turn);
      if (deal.phase == rules::Phase::kPlaying && deal.turn != deal.taker) {
        const Knowledge known = *Know(view);
        Sampler sampler(known, view.viewer, view.hand, Rng(seed));
        const World drawn = sampler.Next();
        World world = drawn;
        LikelyDiscard(view, known).Rearrange(world);
        ExpectStillTrue(known, deal.taker, drawn, world);
        const auto taker = static_cast<std::size_t>(deal.taker);
        if (deal.trick_count == 1) {
          drawn_voids += Voids(drawn.hands[taker]);
          likely_voids += Voids(world.hands[taker]);
          true_voids += Voids(deal.hands[taker]);
        }
      }
      const Decision decision = novice.Choose(view, Rng(rng.Next()), {});
      ASSERT_TRUE(Apply(deal, deal.turn, decision.action).ok());
    }
  }
  // In worlds with a random écart, the taker has clearly fewer voids than in the real deals.
  EXPECT_LT(4 * drawn_voids, 3 * true_voids);
  EXPECT_GT(5 * likely_voids, 4 * true_voids);
}

TEST(LikelyDiscardTest, ChangesNothingWithoutAHiddenEcart) {
  for (const Contract contract : {Contract::kGarde, Contract::kGardeSans}) {
    Rng rng(7);
    Deal deal = Taken(4, contract, rng);
    while (deal.phase != rules::Phase::kPlaying || deal.turn != deal.taker) {
      const rules::View view = RememberedView(deal, deal.turn);
      if (contract == Contract::kGardeSans && deal.phase == rules::Phase::kPlaying) break;
      const Decision decision = FindPolicy("novice")->Choose(view, Rng(1), {});
      ASSERT_TRUE(Apply(deal, deal.turn, decision.action).ok());
    }
    const rules::View view = RememberedView(deal, deal.turn);
    const Knowledge known = *Know(view);
    Sampler sampler(known, view.viewer, view.hand, Rng(3));
    for (int i = 0; i < 20; ++i) {
      const World drawn = sampler.Next();
      World world = drawn;
      LikelyDiscard(view, known).Rearrange(world);
      EXPECT_EQ(world.hands, drawn.hands);
      EXPECT_EQ(world.aside, drawn.aside);
    }
  }
}

}  // namespace
}  // namespace tarot::ai
