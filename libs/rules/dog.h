// The écart: the cards that the taker puts away after taking the dog (docs/rules.md section 6).
#pragma once

#include "libs/rules/action.h"
#include "libs/rules/parameters/rule_set.h"

namespace tarot::rules {

struct DiscardRule {
  CardSet allowed;  // The cards that may go.
  int count = 0;    // Exactly so many cards go.
  // Exactly so many of them are trumps. 0 and without effect with TrumpDiscard::kFree.
  int trump_count = 0;
};

// Returns the rule for a hand that holds the dog. Kings and bouts never go. Trumps go only when
// there are too few other cards, or freely with TrumpDiscard::kFree. `called` (kNoCard for none)
// goes if discard_called_card_allowed. A legal discard always exists, because at most eight cards
// of a hand may not go: four Kings, three bouts and the called card.
DiscardRule DiscardRuleFor(const RuleSet& rules, CardSet hand, Card called, int count);

// Returns why `cards` may not be put away from `hand`; kOk when they may.
Verdict CheckDiscard(const RuleSet& rules, CardSet hand, Card called, int count, CardSet cards);

}  // namespace tarot::rules
