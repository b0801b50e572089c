// Samples layouts of the hidden cards that agree with everything that a seat knows.
#pragma once

#include "libs/ai/bid_belief.h"
#include "libs/ai/fast_deal.h"
#include "libs/ai/knowledge.h"
#include "libs/base/rng.h"

namespace tarot::ai {

// A Markov chain over the layouts of the unseen cards. The chain starts from a layout that a
// bipartite matching finds. Each step moves cards between places. The steps are symmetric, and they
// connect every two layouts. So in the long run all layouts are equally likely. The chain never
// fails, does bounded work, and uses integers only.
//
// With a BidBelief, the chain walks in short stretches. If a stretch makes the bids less likely,
// the chain goes back to the start of this stretch, with a chance that follows from both
// likelihoods (the rule of Metropolis). So in the long run the probability of a layout is
// proportional to the likelihood of the bids in it.
class Sampler {
 public:
  // `knowledge` must be Satisfiable(). `own` is the viewer's hand. `belief` must outlive the
  // sampler. If it is null, the sampler ignores the bids.
  Sampler(const Knowledge& knowledge, rules::Seat viewer, rules::CardSet own, Rng rng,
          const BidBelief* belief = nullptr);

  // Returns the next world. Samplers with equal constructor arguments give the same sequence.
  const World& Next();

 private:
  // An unseen card, and its place in the current world.
  struct Slot {
    std::uint8_t at = 0;  // The index of this slot in slots_.
    std::uint8_t card = 0;
    std::uint8_t place = 0;
  };

  void Walk(int steps);
  void Rotate();
  // Walks `stretches` stretches of `steps` steps. Keeps or undoes each one by the rule of
  // Metropolis.
  void WalkByBelief(int stretches, int steps);
  void LayOut();  // Sets world_ to the current layout.

  Rng rng_;
  const rules::Seat viewer_;
  const rules::CardSet own_;
  int card_count_ = 0;
  std::array<Slot, rules::kCardCount> slots_;
  // may_[Index(card)] has one bit for each place where this card may be.
  std::array<std::uint8_t, rules::kCardCount> may_{};
  const BidBelief* const belief_;
  int log_chance_ = 0;  // BidBelief::LogChance() of the current layout.
  World world_;
};

// Changes the écart in a world to a likely écart. Players do not discard at random: they empty
// suits, and discard honours that they might lose. So the taker is often void in a suit where a
// random écart would leave two small cards in the taker's hand.
class LikelyDiscard {
 public:
  // `knowledge` must be Know(view).
  LikelyDiscard(const rules::View& view, const Knowledge& knowledge);

  // Exchanges cards between the taker's hand and the hidden écart in `world`. Afterwards, the écart
  // is one that a player might choose from these cards. All known facts still hold. Does nothing if
  // the viewer can see the whole écart.
  void Rearrange(World& world) const;

 private:
  // Returns an écart from the cards `pool` that leaves the taker void in the suits of `emptied`
  // (one bit for each suit). Returns an empty set if no such écart is possible. Adds the value of
  // the écart to `merit`.
  rules::CardSet Choose(rules::CardSet pool, unsigned emptied, int& merit) const;

  const rules::Seat taker_;
  // The number of écart cards that the viewer cannot see. If it is 0, Rearrange() does nothing.
  int count_ = 0;
  rules::CardSet may_go_;  // The cards, except trumps, that may be in the hidden écart.
  // The cards that must be in the écart, because they cannot be in the taker's hand.
  rules::CardSet must_go_;
  rules::CardSet played_;  // Cards that the taker has played.
};

}  // namespace tarot::ai
