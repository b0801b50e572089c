// Samples of the hidden cards that agree with everything a seat knows.
#pragma once

#include "libs/ai/fast_deal.h"
#include "libs/ai/knowledge.h"
#include "libs/base/rng.h"

namespace tarot::ai {

// A Markov chain over the ways to lay the unseen cards. It starts from one way that a matching
// finds and walks by rotating cards between places. Rotations are chosen symmetrically and connect
// every two ways, so in the long run all ways are equally likely. It never fails, does bounded
// work, and uses integers only.
class Sampler {
 public:
  // `knowledge` is Satisfiable(). `own` is the viewer's hand.
  Sampler(const Knowledge& knowledge, rules::Seat viewer, rules::CardSet own, Rng rng);

  // Returns the next world. The same arguments always give the same sequence.
  const World& Next();

 private:
  // An unseen card, and its place in the current world.
  struct Slot {
    std::uint8_t at = 0;  // Index in slots_.
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
  std::array<std::uint8_t, rules::kCardCount> may_{};  // By Index(card), a bit for each place.
  World world_;
};

// A likely écart of the taker. Players do not discard at random: they empty suits and save honours,
// so the taker is often void where a random écart leaves two small cards.
class LikelyDiscard {
 public:
  // `knowledge` is Know(view).
  LikelyDiscard(const rules::View& view, const Knowledge& knowledge);

  // Exchanges cards between the taker's hand and the hidden écart in `world`, so that the écart is
  // one that a player would have chosen from these cards and those that the taker has played since.
  // All known facts still hold. Does nothing if no écart is hidden from the viewer.
  void Rearrange(World& world) const;

 private:
  // Returns an écart from `pool` that empties the suits of `emptied` (bits); empty if there is
  // none.
  rules::CardSet Choose(rules::CardSet pool, unsigned emptied, int& merit) const;

  const rules::Seat taker_;
  int count_ = 0;           // Hidden cards in the écart; 0: there is nothing to do.
  rules::CardSet may_go_;   // Cards that the écart may hold by choice.
  rules::CardSet must_go_;  // Cards that the taker's hand cannot hold.
  rules::CardSet played_;   // Cards that the taker has played.
};

}  // namespace tarot::ai
