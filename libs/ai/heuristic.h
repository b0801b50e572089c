// The heuristic player. It plays the level `novice`, and the play-outs of the higher levels. It
// follows the rules that beginners learn, and it samples no hidden cards.
#pragma once

#include <vector>

#include "libs/ai/fast_deal.h"
#include "libs/ai/policy.h"
#include "libs/rules/dog.h"

namespace tarot::ai {

// Level `novice` as a policy.
class Novice final : public Policy {
 public:
  Decision Choose(const rules::View& view, Rng rng, const Request& request) const override;
};

// Returns a legal card for the seat in turn. The choice depends on this seat's hand, the camps, the
// cards on the table, and the set of cards that all hands together still hold (`held`). The choice
// does not depend on which other seat holds a card.
rules::Card HeuristicCard(const FastDeal& deal);

// Plays `deal` to its end with HeuristicCard() for every seat. Returns the number of cards played.
int HeuristicPlayOut(FastDeal& deal);

// Returns the value of a hand for a player who may become the taker. Bouts, trumps, honours and
// long suits give points. If `distribution` is true, voids and singletons also give points.
int HandValue(rules::CardSet hand, bool distribution);

// Returns the contract for a hand with these values: `value` with distribution and `plain_value`
// without distribution. `playing` is the number of seats that hold cards, 3 to 5.
rules::Contract HeuristicBid(double value, double plain_value, int playing);

// Returns at least one and at most `count_max` legal écarts, the best écart first. The best écarts
// empty suits and contain many points. If possible, no écart contains the card `keep` (a called
// card, or kNoCard).
std::vector<rules::CardSet> HeuristicDiscards(rules::CardSet hand, const rules::DiscardRule& rule,
                                              rules::Card keep, int count_max);

// Returns the card to call: one of `calls`, which must not be empty.
rules::Card HeuristicCall(rules::CardSet hand, rules::CardSet calls);

// Returns the cards to show for a handful of `size` cards, chosen from `choice`.
rules::CardSet HandfulCards(rules::CardSet choice, int size);

// Returns whether this hand is sure to win every trick if it leads, whatever cards the other hands
// have.
bool CertainSlam(rules::CardSet hand);

}  // namespace tarot::ai
