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
  // An unseen card, and where it lies in the current world.
  struct Slot {
    std::uint8_t at = 0;  // In slots_.
    std::uint8_t card = 0;
    std::uint8_t place = 0;
  };

  void Walk(int steps);
  void Rotate();

  Rng rng_;
  const rules::Seat viewer_;
  const rules::CardSet own_;
  int card_count_ = 0;
  std::array<Slot, rules::kCardCount> slots_;
  std::array<std::uint8_t, rules::kCardCount> may_{};  // Bits by place, by Index(card).
  World world_;
};

}  // namespace tarot::ai
