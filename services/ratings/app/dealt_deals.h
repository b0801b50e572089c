// The deals of a match, from which the luck of its players follows (docs/luck.md).
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tarot::ratings_service {

// The database has these numbers.
enum class DealOutcome { kScored = 1, kNotPlayed = 2, kVoided = 3 };

// One deal of a match. proto/tarot/ratings/v1/rating_ingest_service.proto describes the members.
struct DealtDeal {
  int number = 0;
  int dealer = 0;
  std::string pack;
  DealOutcome outcome = DealOutcome::kScored;
  std::vector<int> scores;     // Indexed by seat.
  std::vector<int> stand_ins;  // Seats, in rising order.
};

// Checks all deals of a match with `scored_count` scored deals and these `totals` by seat. Returns
// INVALID_ARGUMENT BAD_REQUEST unless the rule set exists and allows the number of players, the
// deals have the numbers 1, 2, 3 and so on, each pack is whole, and the scores add up.
absl::Status CheckDeals(absl::string_view rule_values, absl::Span<const int> totals,
                        int scored_count, absl::Span<const DealtDeal> deals);

}  // namespace tarot::ratings_service
