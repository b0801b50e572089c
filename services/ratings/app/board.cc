#include "services/ratings/app/board.h"

#include <algorithm>
#include <iterator>

#include "libs/base/error.h"
#include "libs/base/status_macros.h"

namespace tarot::ratings {
namespace {

void Append(std::vector<Place> more, std::vector<Place>& places) {
  std::move(more.begin(), more.end(), std::back_inserter(places));
}

}  // namespace

absl::StatusOr<std::vector<Place>> Board::List(bool provisional, bool upwards,
                                               const std::optional<PlaceKey>& past, int limit) {
  return store_.ListPlaces({.player_count = player_count_,
                            .rule = rule_,
                            .provisional = provisional,
                            .upwards = upwards,
                            .past = past,
                            .limit = limit});
}

absl::StatusOr<std::vector<Place>> Board::Below(const std::optional<BoardCursor>& past, int limit) {
  std::vector<Place> places;
  std::optional<PlaceKey> key;
  if (past) key = past->key;
  if (!past || !past->provisional) {
    TAROT_ASSIGN_OR_RETURN(places, List(false, false, key, limit));
    key.reset();
  }
  if (const int missing = limit - static_cast<int>(places.size());
      missing > 0 && show_provisional_) {
    TAROT_ASSIGN_OR_RETURN(std::vector<Place> more, List(true, false, key, missing));
    Append(std::move(more), places);
  }
  return places;
}

absl::StatusOr<std::vector<Place>> Board::Above(const BoardCursor& past, int limit) {
  std::vector<Place> places;
  std::optional<PlaceKey> key = past.key;
  if (past.provisional) {
    TAROT_ASSIGN_OR_RETURN(places, List(true, true, key, limit));
    key.reset();
  }
  if (const int missing = limit - static_cast<int>(places.size()); missing > 0) {
    TAROT_ASSIGN_OR_RETURN(std::vector<Place> more, List(false, true, key, missing));
    Append(std::move(more), places);
  }
  return places;
}

absl::StatusOr<std::vector<Place>> Board::Around(PlayerId player, int limit) {
  TAROT_ASSIGN_OR_RETURN(std::vector<Place> center,
                         store_.GetPlaces(player_count_, rule_, {player}));
  const Place& place = center.front();
  if (place.standing.match_count == 0 || (!place.rank && !show_provisional_)) {
    return Error(absl::StatusCode::kNotFound, "NOT_RANKED", "This player has no place here.");
  }
  const BoardCursor cursor = CursorOf(place);
  TAROT_ASSIGN_OR_RETURN(std::vector<Place> places, Above(cursor, (limit - 1) / 2));
  std::reverse(places.begin(), places.end());
  places.push_back(place);
  TAROT_ASSIGN_OR_RETURN(std::vector<Place> below,
                         Below(cursor, limit - static_cast<int>(places.size())));
  Append(std::move(below), places);
  return places;
}

}  // namespace tarot::ratings
