// The bidding that French clubs teach: so many points for bouts, trumps, honours and long suits,
// and a contract by their sum. A baseline for the arena, frozen.
#pragma once

#include "libs/ai/policy.h"

namespace tarot::ai {

// Noël Chavey, Le jeu de tarot (Hatier, 1986), as quoted at le21bollenois.com, "L'évaluation du
// jeu". `distribution` adds for voids and singletons.
int ClassicValue(rules::CardSet hand, bool distribution);

// The contract for that many points. The table is for four players; with three and five its limits
// are moved as far as those of `novice` are, for the author gives none.
rules::Contract ClassicContract(int value, int playing);

// A legal bid of the seat in turn.
rules::Contract ClassicBid(const rules::View& view);

// Bids as above and does everything else as another policy.
class WithClassicBids final : public Policy {
 public:
  explicit WithClassicBids(const Policy& other) : other_(other) {}
  Decision Choose(const rules::View& view, Rng rng, const Request& request) const override;

 private:
  const Policy& other_;
};

}  // namespace tarot::ai
