// Bids as French clubs teach bidding. Bouts, trumps, honours and long suits give points, and the
// sum of these points decides the contract. The arena compares other methods with this method,
// which never changes.
#pragma once

#include "libs/ai/policy.h"

namespace tarot::ai {

// Returns the value of the hand in points. The method is from Noël Chavey, Le jeu de tarot (Hatier,
// 1986), as quoted at le21bollenois.com, "L'évaluation du jeu". If `distribution` is true, voids
// and singletons also give points.
int ClassicValue(rules::CardSet hand, bool distribution);

// Returns the contract for a hand of this value. The source gives limits for four players only. The
// limits for three and five players are our choice: they are higher or lower than the limits for
// four players by about as much as in level `novice`.
rules::Contract ClassicContract(int value, int playing);

// Returns the bid of the seat in turn by this method. The bid is always legal.
rules::Contract ClassicBid(const rules::View& view);

// A policy that bids by this method. `other` makes all other decisions, and must outlive this
// policy.
class WithClassicBids final : public Policy {
 public:
  explicit WithClassicBids(const Policy& other) : other_(other) {}
  Decision Choose(const rules::View& view, Rng rng, const Request& request) const override;

 private:
  const Policy& other_;
};

}  // namespace tarot::ai
