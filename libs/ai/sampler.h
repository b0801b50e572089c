// Hidden hands consistent with what a seat knows, all equally likely in the long run.
#pragma once

#include "libs/ai/knowledge.h"
#include "libs/ai/table.h"
#include "libs/base/rng.h"

namespace tarot::ai {

// A Markov chain over the ways to lay the unseen cards: it starts from one that a matching finds,
// and walks by rotating cards between places. Rotations are chosen symmetrically and connect every
// two ways, so every way is as likely as any other. Never fails, bounded work, integers only.
class Sampler {
 public:
  // `knowledge` is Satisfiable. `own` is the viewer's hand.
  Sampler(const Knowledge& knowledge, rules::Seat viewer, rules::CardSet own, Rng rng);

  // The next world; always the same sequence for the same arguments.
  const World& Next();

 private:
  void Place(rules::Card card);
  void Walk(int steps);

  Knowledge knowledge_;
  Rng rng_;
  int card_count_ = 0;
  std::array<rules::Card, rules::kCardCount> cards_{};
  std::array<std::uint8_t, rules::kCardCount> place_{};  // By Index(card).
  std::array<rules::CardSet, kPlaces> lying_;
  rules::Seat viewer_;
  rules::CardSet own_;
  World world_;
};

}  // namespace tarot::ai
