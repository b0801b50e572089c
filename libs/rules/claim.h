// Decides claims: a seat says that it wins all tricks that are left ("the rest is mine").
//
// The proof uses only the cards that the seat has seen: its hand, the cards played, the handfuls,
// its own écart, and the dog and the trumps of the écart that were shown. So the answer tells the
// player nothing about the other hands. A proof holds for all possible hands of the other seats,
// and for every legal play of these seats. For a few true claims the code finds no proof, so it
// refuses them.
#pragma once

#include <array>
#include <vector>

#include "libs/rules/view.h"

namespace tarot::rules {

// The answer to a claim.
struct ClaimProof {
  // 0 if the claim is proven. Otherwise: the number (from 1) of the first trick of the deal that
  // the seat could lose, if it plays the best order that was tried.
  int lost_trick = 0;
  // If the claim is proven: the cards of the seat in an order that wins every trick. If the proof
  // allows it, the Petit comes last, or only the Excuse comes after it.
  std::array<Card, 24> order{};
  int size = 0;

  bool proven() const { return lost_trick == 0; }
};

// Judges the claim of `view.viewer`. This seat must be in turn in Phase::kPlaying, and `view` must
// be its RememberedView(). The seat itself must win every trick; the tricks of a partner do not
// count.
ClaimProof ProveClaim(const View& view);

// Returns the cards of all remaining tricks, in the order of play, if the seat in turn has proven
// its claim. This seat plays in the order of the proof. Each other seat plays by three rules:
// - It plays the Excuse as soon as it may, because it could lose the Excuse in the last trick.
// - A seat of the claimer's camp keeps the Petit as long as it has another legal card.
// - Otherwise the seat plays its lowest legal card.
std::vector<Card> PlayOutClaim(const Deal& deal, const ClaimProof& proof);

}  // namespace tarot::rules
