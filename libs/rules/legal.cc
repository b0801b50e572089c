#include "libs/rules/legal.h"

#include <bit>

namespace tarot::rules {

Demand DemandOf(absl::Span<const Card> trick) {
  Demand demand;
  for (const Card c : trick) {
    // The Excuse leads no suit: the first other card decides what must be followed.
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
  const int highest = std::countr_zero(demand.above);  // The lowest above it has the next number.
  return {.reason = Reason::kMustOvertrump, .number = highest};
}

}  // namespace tarot::rules
