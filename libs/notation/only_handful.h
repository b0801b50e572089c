// When the cards of a handful go without saying.
#pragma once

#include <optional>

#include "libs/rules/cards.h"
#include "libs/rules/parameters/rule_set.h"

namespace tarot::notation {

// The one set of `count` cards that the holder of `hand` may show as a handful; `exposed` are the
// trumps that had to go into the holder's écart. nullopt when there is none, or a choice.
std::optional<rules::CardSet> OnlyHandful(const rules::RuleSet& rules, rules::CardSet hand,
                                          rules::CardSet exposed, int count);

}  // namespace tarot::notation
