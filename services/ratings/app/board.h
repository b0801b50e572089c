// A leaderboard as one list: those with a place, then (when asked for) those still without.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "services/ratings/app/page_token.h"
#include "services/ratings/app/rating_store.h"

namespace tarot::ratings {

class Board {
 public:
  Board(RatingStore& store, int player_count, const PlaceRule& rule, bool show_provisional)
      : store_(store),
        player_count_(player_count),
        rule_(rule),
        show_provisional_(show_provisional) {}

  // At most `limit` players after `past`, best first; from the top when unset.
  absl::StatusOr<std::vector<Place>> Below(const std::optional<BoardCursor>& past, int limit);

  // `player` in the middle of at most `limit`, best first. NOT_FOUND NOT_RANKED when not listed.
  absl::StatusOr<std::vector<Place>> Around(PlayerId player, int limit);

  static BoardCursor CursorOf(const Place& place) {
    return {.provisional = !place.rank, .key = place.key()};
  }

 private:
  absl::StatusOr<std::vector<Place>> Above(const BoardCursor& past, int limit);
  absl::StatusOr<std::vector<Place>> List(bool provisional, bool upwards,
                                          const std::optional<PlaceKey>& past, int limit);

  RatingStore& store_;
  const int player_count_;
  const PlaceRule rule_;
  const bool show_provisional_;
};

}  // namespace tarot::ratings
