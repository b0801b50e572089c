#include "libs/rules/dog.h"

namespace tarot::rules {

DiscardRule DiscardRuleFor(const RuleSet& rules, CardSet hand, Card called, int count) {
  CardSet kept = CardSet::Bouts() | CardSet::Kings();
  if (called != kNoCard && !rules.discard_called_card_allowed) kept.Insert(called);
  const CardSet low_trumps = (hand & CardSet::AllTrumps()) - kept;
  const CardSet plain = hand - CardSet::AllTrumps() - kept;
  DiscardRule rule{.allowed = plain, .count = count};
  if (rules.trump_discard == TrumpDiscard::kFree) {
    rule.allowed |= low_trumps;
  } else if (plain.Size() < count) {
    rule.allowed |= low_trumps;
    rule.trump_count = count - plain.Size();
  }
  return rule;
}

Verdict CheckDiscard(const RuleSet& rules, CardSet hand, Card called, int count, CardSet cards) {
  const DiscardRule rule = DiscardRuleFor(rules, hand, called, count);
  for (const Card c : cards) {
    if (!hand.Contains(c)) return {.reason = Reason::kCardNotHeld, .card = c};
    if (IsKing(c)) return {.reason = Reason::kDiscardKing, .card = c};
    if (IsBout(c)) return {.reason = Reason::kDiscardBout, .card = c};
    if (c == called && !rules.discard_called_card_allowed) {
      return {.reason = Reason::kDiscardCalledCard, .card = c};
    }
    if (!rule.allowed.Contains(c)) return {.reason = Reason::kDiscardTrump, .card = c};
  }
  if (cards.Size() != count) return {.reason = Reason::kDiscardCount, .number = count};
  const bool trumps_counted = rules.trump_discard == TrumpDiscard::kIfNeededShown;
  if (trumps_counted && (cards & CardSet::AllTrumps()).Size() != rule.trump_count) {
    return {.reason = Reason::kDiscardTrumpCount, .number = rule.trump_count};
  }
  return {};
}

}  // namespace tarot::rules
