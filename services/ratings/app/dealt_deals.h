// Declares the deals of a match, from which the luck of its players follows (docs/luck.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tarot::ratings_service {

// The database stores these numbers, so they must not change.
enum class DealOutcome { kScored = 1, kNotPlayed = 2, kVoided = 3 };

// The values of ai::Baseline for a deal (libs/ai/luck/baseline.h).
struct DealBaseline {
  std::vector<double> mean_scores;  // Indexed by seat.
  double deviation = 0;             // ai::Baseline::deviation
};

// One deal of a match. proto/tarot/ratings/v1/rating_ingest_service.proto describes the members.
struct DealtDeal {
  int number = 0;
  int dealer = 0;
  std::string pack;
  DealOutcome outcome = DealOutcome::kScored;
  std::vector<int> scores;     // Indexed by seat.
  std::vector<int> stand_ins;  // Seats, in rising order.
  // The baseline of this deal, which TakeLuckOut() sets. It is unset if the deal does not count, or
  // if the match is rated without a correction for luck.
  std::optional<DealBaseline> baseline;
};

// Checks all deals of a match that has `scored_count` scored deals. `totals` has the total of each
// seat. For the first fault, returns INVALID_ARGUMENT BAD_REQUEST. Examples of faults are an
// unknown rule set, a pack that lacks a card, and scores that do not add up to the totals.
absl::Status CheckDeals(absl::string_view rule_values, absl::Span<const int> totals,
                        int scored_count, absl::Span<const DealtDeal> deals);

// Returns true if a bot acted for the person in `seat` in at least half of the deals, and in at
// least one deal. Ignores cancelled deals.
bool LeftMatch(absl::Span<const DealtDeal> deals, int seat);

}  // namespace tarot::ratings_service
