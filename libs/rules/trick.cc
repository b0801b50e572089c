#include "libs/rules/trick.h"

#include <bit>

namespace tarot::rules {

Demand DemandOf(absl::Span<const Card> trick) {
  Demand demand;
  for (const Card c : trick) {
    // The Excuse sets no suit. If it leads, the next card sets the suit.
    if (!demand.asked && c != kExcuse) {
      demand.asked = true;
      demand.suit = CardSet::OfSuit(SuitOf(c)).suits();
    }
    if (IsTrump(c)) demand.above &= CardSet::TrumpsAbove(RankOf(c)).trumps();
  }
  return demand;
}

Verdict WhyNot(CardSet hand, absl::Span<const Card> trick, Card card) {
  if (!hand.Contains(card)) return {.reason = Reason::kCardNotHeld, .card = card};
  if (LegalCards(hand, trick).Contains(card)) return {};
  const Demand demand = DemandOf(trick);
  if ((hand.suits() & demand.suit) != 0) {
    const int suit = std::countr_zero(demand.suit) / kSuitSize;
    return {.reason = Reason::kMustFollowSuit, .suit = static_cast<Suit>(suit)};
  }
  if (!IsTrump(card)) return {.reason = Reason::kMustTrump};
  // Bit i of `above` is the trump with the number i + 1. The lowest bit that is set is the trump
  // directly above the highest trump in the trick. So the index of this bit is the number of the
  // highest trump.
  const int highest = std::countr_zero(demand.above);
  return {.reason = Reason::kMustOvertrump, .number = highest};
}

Verdict RefusalOf(CardSet hand, absl::Span<const Card> trick, Card called_card, Card card) {
  const Verdict verdict = WhyNot(hand, trick, card);
  if (!verdict.ok()) return verdict;
  return {.reason = Reason::kCalledSuitBarred,
          .card = trick.empty() ? called_card : kNoCard,
          .suit = SuitOf(called_card)};
}

int WinningPosition(absl::Span<const Card> trick) {
  int best = 0;
  for (int i = 1; i < static_cast<int>(trick.size()); ++i) {
    const Card leader = trick[static_cast<std::size_t>(best)];
    const Card card = trick[static_cast<std::size_t>(i)];
    if (card == kExcuse) continue;
    const bool beats = leader == kExcuse || (IsTrump(card) && !IsTrump(leader)) ||
                       (SuitOf(card) == SuitOf(leader) && RankOf(card) > RankOf(leader));
    if (beats) best = i;
  }
  return best;
}

}  // namespace tarot::rules
