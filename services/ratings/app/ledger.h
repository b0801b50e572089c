// Ratings are a fold over the ledger: one function rates a match, both live and in hindsight.
#pragma once

#include <map>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "services/ratings/app/rating_service.h"

namespace tarot::ratings_service {

// `standings` in the order of the match's players.
RatedMatch RateMatch(const MatchResult& match, absl::Span<const Standing> standings);

// Standings by player count and player. The ledger holds no names, so they stay empty.
using Standings = std::map<std::pair<int, PlayerId>, Standing>;

// Rates every match of the ledger again, from the first one on, by today's model. While other
// matches are being stored, the newest ones may be missing.
absl::StatusOr<Standings> Recompute(RatingStore& store);

}  // namespace tarot::ratings_service
