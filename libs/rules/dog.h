// Checks the écart: the cards that the taker lays aside after taking the dog (docs/rules.md section
// 6).
#pragma once

#include "libs/rules/action.h"
#include "libs/rules/parameters/rule_set.h"

namespace tarot::rules {

struct DiscardRule {
  CardSet allowed;  // The cards that the taker may lay aside.
  int count = 0;    // The taker must lay aside exactly this number of cards.
  // The exact number of trumps that the taker must lay aside. With TrumpDiscard::kFree it is 0 and
  // has no effect.
  int trump_count = 0;
};

// Returns the rule for the taker's `hand`, which contains the dog. `count` is the size of the dog.
// `called` is the called card, or kNoCard.
// - Kings and bouts stay in the hand.
// - The called card stays in the hand if discard_called_card_allowed is false.
// - With TrumpDiscard::kFree, the taker may lay aside trumps that are not bouts. With
//   TrumpDiscard::kIfNeededShown, the taker may do this only if the hand has too few other cards to
//   lay aside.
//
// A legal discard always exists. At most eight cards must stay in the hand: four Kings, three bouts
// and the called card. CheckRuleSet() requires hands of at least eight cards.
DiscardRule DiscardRuleFor(const RuleSet& rules, CardSet hand, Card called, int count);

// Returns why the taker may not lay aside `cards` of `hand`, or kOk if the taker may. The other
// arguments are those of DiscardRuleFor().
Verdict CheckDiscard(const RuleSet& rules, CardSet hand, Card called, int count, CardSet cards);

}  // namespace tarot::rules
