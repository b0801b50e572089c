// Random whole deals as lines of a fullplay file, still without what is expected of them.
#pragma once

#include <string>

#include "libs/rules/deal.h"

namespace tarot::lab {

// Deal `number` of `seed`: dealt and played at random under `rules`, one in three with a hand that
// is strong enough for a slam. The same arguments give the same line. `text` names the rules.
std::string RandomPlayLine(const rules::RuleSet& rules, const std::string& text, int players,
                           std::uint64_t seed, int number);

}  // namespace tarot::lab
