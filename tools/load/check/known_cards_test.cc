// Tests that a seat may know all cards that the rules show, and no hidden card of another hand.
#include "tools/load/check/known_cards.h"

#include <gtest/gtest.h>

#include "libs/rules/testing/random_deals.h"
#include "libs/rules/view.h"

namespace tarot::check {
namespace {

rules::CardSet Shown(const rules::View& view) {
  rules::CardSet cards = view.hand | view.dog | view.discard | view.discard_shown;
  for (int i = 0; i < view.handful_count; ++i) {
    cards |= view.handfuls[static_cast<std::size_t>(i)].cards;
  }
  for (int i = 0; i < view.trick_count; ++i) {
    const rules::Trick& trick = view.tricks[static_cast<std::size_t>(i)];
    for (int at = 0; at < trick.size; ++at) cards.Insert(trick.cards[static_cast<std::size_t>(at)]);
  }
  return cards;
}

// Returns the cards in `seat`'s hand that no other player has seen.
rules::CardSet Hidden(const rules::Deal& deal, rules::Seat seat) {
  rules::CardSet cards = deal.hands[static_cast<std::size_t>(seat)];
  for (int i = 0; i < deal.handful_count; ++i) {
    cards -= deal.handfuls[static_cast<std::size_t>(i)].cards;
  }
  return deal.DogShown() ? cards - deal.dog : cards;
}

TEST(KnownCardsTest, KnowsShownCardsAndNoHiddenCard) {
  const rules::RuleSet& fft = rules::FindRuleSet("fft")->rules;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    const int players = 3 + static_cast<int>(seed % 3);
    rules::Deal deal = rules::RandomDeal(fft, players, rng);
    KnownCards known;
    known.Deal(deal);
    while (deal.phase != rules::Phase::kDone) {
      const rules::Action action = rules::RandomAction(deal, rng);
      ASSERT_TRUE(Apply(deal, deal.turn, action).ok());
      known.Act(deal, action);
      for (rules::Seat seat = rules::kNoSeat; seat < players; ++seat) {
        ASSERT_TRUE(known.Of(seat).ContainsAll(Shown(rules::MakeView(deal, seat)))) << seed;
        for (rules::Seat other = 0; other < players && deal.phase != rules::Phase::kDone; ++other) {
          if (other == seat) continue;
          ASSERT_TRUE((known.Of(seat) & Hidden(deal, other)).Empty()) << seed;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tarot::check
