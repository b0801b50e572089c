// Ratings are a fold over the ledger. One function rates a match, both live and when ratings are
// computed again.
#pragma once

#include <map>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "services/ratings/app/rating_service.h"

namespace tarot::ratings_service {

// Rates one match. `standings` are in the order of the match's players.
RatedMatch RateMatch(const MatchResult& match, absl::Span<const Standing> standings);

// Standings by player count and player. The ledger contains no names, so the names here stay empty.
using Standings = std::map<std::pair<int, PlayerId>, Standing>;

// Rates every match of the ledger again, from the first one on, with today's model. If other
// matches are stored meanwhile, the newest ones may be missing.
absl::StatusOr<Standings> Recompute(RatingStore& store);

}  // namespace tarot::ratings_service
