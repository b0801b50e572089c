// What the taker has probably laid away. Which cards lie in the hidden écart is no matter of
// chance: players empty suits and save honours, so the taker is void where a random écart leaves
// two small cards.
#pragma once

#include "libs/ai/knowledge.h"
#include "libs/ai/table.h"

namespace tarot::ai {

class LikelyDiscard {
 public:
  // `knowledge` is what `view` proves.
  LikelyDiscard(const rules::View& view, const Knowledge& knowledge);

  // Exchanges cards of the taker's hand and of the hidden écart in `world`, so that the écart is
  // one that a player would have chosen from the two and from what the taker has played since. What
  // is proven of either still holds. Changes nothing where no écart is hidden from the viewer.
  void Rearrange(World& world) const;

 private:
  // An écart from `pool` that empties the suits of `emptied` (bits), else empty.
  rules::CardSet Choose(rules::CardSet pool, unsigned emptied, int& merit) const;

  const rules::Seat taker_;
  int count_ = 0;           // Of hidden cards in the écart; 0: nothing to do.
  rules::CardSet may_go_;   // Cards that it may hold by choice,
  rules::CardSet must_go_;  // and those that the hand may not.
  rules::CardSet played_;   // By the taker, who thought of them, too.
};

}  // namespace tarot::ai
