// Decides claims: a seat says that it wins all tricks that are left ("the rest is mine").
//
// The proof uses only the cards that the seat has seen: its hand, the cards played, the dog if it
// was shown, handfuls, and its own écart. It never uses hidden cards, so the answer tells the
// player nothing about the other hands. A proof holds for all possible hands of the other seats,
// and for every legal play of these seats. A refused claim may still be true: for a few true claims
// the code finds no proof.
#pragma once

#include <array>
#include <vector>

#include "libs/rules/view.h"

namespace tarot::rules {

// The answer to a claim.
struct ClaimProof {
  // If the claim is not proven: the number of the first trick that the seat could lose, if it plays
  // the best order that was tried. The first trick of the deal is number 1. If the claim is proven:
  // 0.
  int lost_trick = 0;
  // If the claim is proven: the cards of the seat in an order that wins every trick. If the proof
  // allows it, the Petit comes last, or directly before an Excuse that comes last.
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
