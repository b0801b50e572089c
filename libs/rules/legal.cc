#include "libs/rules/legal.h"

#include <algorithm>

namespace tarot::rules {
namespace {

// What the cards on the table ask of the next one.
struct Demand {
  Suit suit = Suit::kNone;  // kNone: nothing yet, or only the Excuse.
  int highest_trump = 0;
};

Demand DemandOf(absl::Span<const Card> trick) {
  Demand demand;
  for (const Card c : trick) {
    // The Excuse leads no suit: the first other card decides what must be followed.
    if (demand.suit == Suit::kNone) demand.suit = SuitOf(c);
    if (IsTrump(c)) demand.highest_trump = std::max(demand.highest_trump, RankOf(c));
  }
  return demand;
}

// The trumps that must be played: above the highest on the table when possible, else any.
CardSet TrumpsToPlay(CardSet hand, int highest_trump) {
  const CardSet above = hand & CardSet::TrumpsAbove(highest_trump);
  return above.Empty() ? hand & CardSet::AllTrumps() : above;
}

}  // namespace

CardSet LegalCards(CardSet hand, absl::Span<const Card> trick) {
  const Demand demand = DemandOf(trick);
  if (demand.suit == Suit::kNone) return hand;
  CardSet legal;
  if (demand.suit != Suit::kTrumps) legal = hand & CardSet::OfSuit(demand.suit);
  if (legal.Empty()) legal = TrumpsToPlay(hand, demand.highest_trump);
  if (legal.Empty()) return hand;  // Neither the suit nor a trump: anything goes.
  return legal | (hand & CardSet{kExcuse});
}

Verdict WhyNot(CardSet hand, absl::Span<const Card> trick, Card card) {
  if (!hand.Contains(card)) return {.reason = Reason::kCardNotHeld, .card = card};
  if (LegalCards(hand, trick).Contains(card)) return {};
  const Demand demand = DemandOf(trick);
  const bool can_follow = !(hand & CardSet::OfSuit(demand.suit)).Empty();
  if (demand.suit != Suit::kTrumps && can_follow) {
    return {.reason = Reason::kMustFollowSuit, .suit = demand.suit};
  }
  if (IsTrump(card)) return {.reason = Reason::kMustOvertrump, .number = demand.highest_trump};
  return {.reason = Reason::kMustTrump};
}

}  // namespace tarot::rules
