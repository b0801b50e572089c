// Decides claims. With a claim, a seat says that it wins all tricks that are left ("the rest is
// mine").
//
// The proof uses only cards that the seat has seen: its hand, the played cards, the shown handfuls,
// its own écart, the shown dog, and the trumps of the écart that the taker had to show. So the
// answer tells the player nothing about the other hands. A proof holds for all possible hands of
// the other seats, and for every legal play of these seats. For a few true claims (fewer than one
// in a hundred, see claim_test.cc), the code finds no proof and refuses the claim.
#pragma once

#include <array>
#include <vector>

#include "libs/rules/view.h"

namespace tarot::rules {

// The answer to a claim.
struct ClaimProof {
  // 0 if the claim is proven. If not, the number of the first trick for which the proof failed,
  // with the best order that was tried. The number counts all tricks of the deal, from 1.
  int lost_trick = 0;
  // The cards of the seat, in an order that wins every trick; set if the claim is proven. If such
  // an order exists with the Petit at the end, the Petit is the last card, or only the Excuse
  // follows the Petit.
  std::array<Card, 24> order{};
  int size = 0;

  bool proven() const { return lost_trick == 0; }
};

// Judges the claim of `view.viewer`. This seat must be in turn in Phase::kPlaying, and `view` must
// come from RememberedView(). The claim is that the seat itself wins every trick; the tricks of a
// partner do not count.
ClaimProof ProveClaim(const View& view);

// Returns the cards of all remaining tricks, in the order of play, if the seat in turn has proven
// its claim. This seat plays in the order of the proof. Each other seat plays by three rules:
// - It plays the Excuse as soon as it may, because it could lose the Excuse in the last trick.
// - If it does not play the Excuse, it plays its legal card with the lowest rank.
// - In the claimer's camp, a seat plays the Petit only if it has no other legal card.
std::vector<Card> PlayOutClaim(const Deal& deal, const ClaimProof& proof);

}  // namespace tarot::rules
