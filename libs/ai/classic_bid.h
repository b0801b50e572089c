// The bidding that French clubs teach: points for bouts, trumps, honours and long suits; their sum
// decides the contract. A baseline for the arena, which never changes.
#pragma once

#include "libs/ai/policy.h"

namespace tarot::ai {

// The source is Noël Chavey, Le jeu de tarot (Hatier, 1986), as quoted at le21bollenois.com,
// "L'évaluation du jeu". `distribution` adds points for voids and singletons.
int ClassicValue(rules::CardSet hand, bool distribution);

// Returns the contract for a value. The source's limits are for four players; those for three and
// five are moved as far as the limits of `novice`.
rules::Contract ClassicContract(int value, int playing);

// Returns a legal bid of the seat in turn.
rules::Contract ClassicBid(const rules::View& view);

// Bids as above and decides everything else as another policy, which must outlive this one.
class WithClassicBids final : public Policy {
 public:
  explicit WithClassicBids(const Policy& other) : other_(other) {}
  Decision Choose(const rules::View& view, Rng rng, const Request& request) const override;

 private:
  const Policy& other_;
};

}  // namespace tarot::ai
