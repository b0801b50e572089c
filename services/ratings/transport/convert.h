// Domain ↔ proto of the ratings service.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "services/ratings/app/rating_service.h"
#include "tarot/ratings/v1/rating_ingest_service.pb.h"
#include "tarot/ratings/v1/rating_service.pb.h"

namespace tarot::ratings {

// "players/{uuid}"; INVALID_ARGUMENT BAD_REQUEST for anything else.
absl::StatusOr<PlayerId> DecodePlayer(absl::string_view name, absl::string_view field);

absl::StatusOr<MatchResult> DecodeMatch(const v1::RecordMatchRequest& request);
absl::StatusOr<ListRatingsQuery> DecodeListRatings(const v1::ListRatingsRequest& request);
absl::StatusOr<ListChangesQuery> DecodeListChanges(const v1::ListRatingChangesRequest& request);

void EncodeRating(const ShownRating& rating, int player_count, v1::Rating* out);
void EncodeChange(const ShownChange& change, v1::RatingChange* out);

// A count on the wire as the domain takes it: one too large for an int is refused there.
int DecodeCount(std::uint32_t count);

}  // namespace tarot::ratings
