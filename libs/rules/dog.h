// The écart: what the taker may put away after taking the dog (docs/rules.md section 6).
#pragma once

#include "libs/rules/action.h"
#include "libs/rules/cards.h"
#include "libs/rules/rule_set.h"

namespace tarot::rules {

// What must go, from a hand that holds the dog.
struct DiscardRule {
  CardSet allowed;  // Only these,
  int count = 0;    // exactly so many,
  int trump_count =
      0;  // and among them exactly so many trumps (0 and no matter when trumps are free).
};

// Kings and bouts never go; trumps only when other cards do not suffice, unless the rule set says
// otherwise; `called` (kNoCard: none), where it is in hand, as the rule set says. There is always a
// legal discard: four Kings, three bouts and a called card leave plenty.
DiscardRule DiscardRuleFor(const RuleSet& rules, CardSet hand, Card called, int count);

// Why `cards` may not be put away from `hand`.
Verdict CheckDiscard(const RuleSet& rules, CardSet hand, Card called, int count, CardSet cards);

}  // namespace tarot::rules
