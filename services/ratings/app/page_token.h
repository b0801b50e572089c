// Page tokens: opaque to clients, tied to the listing that made them.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "services/ratings/app/rating_store.h"

namespace tarot::ratings {

// Where the next page of a leaderboard begins: after `key`, among those with or without a place.
struct BoardCursor {
  bool provisional = false;
  PlaceKey key;
};

std::string EncodeBoardToken(int player_count, const BoardCursor& cursor);
// INVALID_ARGUMENT BAD_REQUEST (page_token) when it is not ours or of another ladder.
absl::StatusOr<BoardCursor> DecodeBoardToken(absl::string_view token, int player_count);

// Where the next page of a player's history begins: below `before`.
std::string EncodeChangesToken(int player_count, PlayerId player, std::int64_t before);
// The same, and when it is of another player.
absl::StatusOr<std::int64_t> DecodeChangesToken(absl::string_view token, int player_count,
                                                PlayerId player);

}  // namespace tarot::ratings
