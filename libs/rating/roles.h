// The roles of the players of a deal. The code is pure.
#pragma once

#include <optional>
#include <vector>

#include "absl/types/span.h"

namespace tarot::rating {

enum class Role { kTaker, kPartner, kDefender };

// Returns the role of each seat of a scored deal, for 3 to 5 scores. The scores show the roles,
// because each defender gets or pays one unit, a partner one unit, and the taker the rest. Returns
// nullopt if the scores are not of this form: if all are zero, or if the rule set pays some bonuses
// to single players.
std::optional<std::vector<Role>> RolesOf(absl::Span<const int> scores);

}  // namespace tarot::rating
