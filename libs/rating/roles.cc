#include "libs/rating/roles.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "libs/rating/rating.h"

namespace tarot::rating {

std::optional<std::vector<Role>> RolesOf(absl::Span<const int> scores) {
  const auto taker = std::max_element(scores.begin(), scores.end(),
                                      [](int a, int b) { return std::abs(a) < std::abs(b); });
  // Sorts the scores and takes the score in the middle. It is the score of a defender, because more
  // than half of the seats are defenders, and all defenders have the same score.
  std::vector<int> sorted(scores.begin(), scores.end());
  std::sort(sorted.begin(), sorted.end());
  const int unit = -sorted[scores.size() / 2];
  const auto n = static_cast<int>(scores.size());
  int partners = 0;
  std::vector<Role> roles(scores.size(), Role::kDefender);
  for (std::size_t seat = 0; seat < scores.size(); ++seat) {
    if (scores.begin() + static_cast<std::ptrdiff_t>(seat) == taker) {
      roles[seat] = Role::kTaker;
    } else if (scores[seat] == unit) {
      roles[seat] = Role::kPartner;
      ++partners;
    } else if (scores[seat] != -unit) {
      return std::nullopt;
    }
  }
  if (unit == 0 || partners > (n == kPlayersMax ? 1 : 0)) return std::nullopt;
  if (*taker != (n - 1 - 2 * partners) * unit) return std::nullopt;
  return roles;
}

}  // namespace tarot::rating
