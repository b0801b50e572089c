// The heuristic player: level `novice`, and the play-outs of the levels above it. It follows the
// rules that beginners learn and samples no hidden cards.
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

// Returns a legal card for the seat in turn. The choice depends on this seat's hand, the cards on
// the table and the set of cards still to come (`held`), never on which seat holds them.
rules::Card HeuristicCard(const FastDeal& deal);

// Plays `deal` to its end with HeuristicCard() for every seat. Returns how many cards were played.
int HeuristicPlayOut(FastDeal& deal);

// Returns the value of a hand for a player who may become the taker: points for bouts, trumps,
// honours and long suits. `distribution` adds points for voids and singletons.
int HandValue(rules::CardSet hand, bool distribution);

// Returns legal écarts, at least one and at most `count_max`. The best come first: they save
// honours and empty suits. They keep `keep` (a called card, or kNoCard) in the hand if possible.
std::vector<rules::CardSet> HeuristicDiscards(rules::CardSet hand, const rules::DiscardRule& rule,
                                              rules::Card keep, int count_max);

// Returns the card to call, one of `calls`, which is not empty.
rules::Card HeuristicCall(rules::CardSet hand, rules::CardSet calls);

// Returns the cards to show for a handful of `size`, chosen from `choice`.
rules::CardSet HandfulCards(rules::CardSet choice, int size);

// Returns whether a hand that leads takes every trick, wherever the other cards are.
bool CertainSlam(rules::CardSet hand);

}  // namespace tarot::ai
