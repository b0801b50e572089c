// Ratings are a fold over the ledger: one function rates a match, live and in hindsight.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "services/ratings/app/rating_store.h"

namespace tarot::ratings {

struct RatedMatch {
  std::vector<LedgerEntry> entries;
  std::vector<double> surprises;
};

// `standings` in the order of the match's players.
RatedMatch RateMatch(const MatchResult& match, absl::Span<const Standing> standings);

// The standing after `entry`, of the match at `match_time`.
Standing After(const Standing& before, const LedgerEntry& entry, absl::Time match_time);

// Standings by player count and player; names are not in the ledger, and stay empty.
using Standings = std::map<std::pair<int, PlayerId>, Standing>;

// Rates every match of the ledger again, from nothing, by today's model. On a store that is being
// written to, the newest matches may be missing.
absl::StatusOr<Standings> Recompute(RatingStore& store);

}  // namespace tarot::ratings
