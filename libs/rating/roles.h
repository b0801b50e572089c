// Finds the roles of the players of a deal (taker, partner, defender) from its scores. The code is
// pure.
#pragma once

#include <optional>
#include <vector>

#include "absl/types/span.h"

namespace tarot::rating {

enum class Role { kTaker, kPartner, kDefender };

// Returns the role of each seat of a scored deal, for 3 to 5 scores. The scores show the roles:
// each defender gets or pays one unit, a partner gets or pays one unit, and the taker gets or pays
// the rest. Some scores do not have this form: all scores may be zero, or the rule set may pay some
// bonuses to single players. Then returns nullopt.
std::optional<std::vector<Role>> RolesOf(absl::Span<const int> scores);

}  // namespace tarot::rating
