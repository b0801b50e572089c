// The écart: the cards that the taker lays away after taking the dog (docs/rules.md section 6).
#pragma once

#include "libs/rules/action.h"
#include "libs/rules/parameters/rule_set.h"

namespace tarot::rules {

struct DiscardRule {
  CardSet allowed;  // The cards that the taker may lay away.
  int count = 0;    // The taker must lay away exactly this number of cards.
  // Exactly this number of the cards must be trumps. It is 0 and has no effect with
  // TrumpDiscard::kFree.
  int trump_count = 0;
};

// Returns the rule for a hand that holds the dog. The taker never lays away Kings or bouts. Trumps
// may go only when there are too few other cards; with TrumpDiscard::kFree they may always go. The
// card `called` (kNoCard for none) may go if discard_called_card_allowed is set. A legal discard
// always exists, because at most eight cards of a hand must stay: four Kings, three bouts and the
// called card.
DiscardRule DiscardRuleFor(const RuleSet& rules, CardSet hand, Card called, int count);

// Returns why the taker may not lay `cards` away from `hand`; kOk when this is allowed.
Verdict CheckDiscard(const RuleSet& rules, CardSet hand, Card called, int count, CardSet cards);

}  // namespace tarot::rules
