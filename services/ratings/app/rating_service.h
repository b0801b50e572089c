// Use cases of the ladder: rate a match, show ratings, leaderboards and histories.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/base/clock.h"
#include "services/ratings/app/rating_store.h"
#include "services/ratings/metrics.h"

namespace tarot::ratings {

inline constexpr int kBatchSizeMax = 200;
inline constexpr int kPageSizeDefault = 20;
inline constexpr int kPageSizeMax = 100;

// As shown to players: uncertainty grown until now.
struct ShownRating {
  Standing standing;
  double rating = 0;
  double deviation = 0;
  std::optional<std::int64_t> rank;
};

struct ShownChange {
  Change change;
  double rating_before = 0;
  double rating_after = 0;
  double deviation_after = 0;
};

struct RatingList {
  int player_count = 0;  // The ladder that they are of.
  std::vector<ShownRating> ratings;
  std::string next_page_token;  // Of a leaderboard; empty on its last page.
};

struct ChangePage {
  std::vector<ShownChange> changes;
  std::string next_page_token;
};

// As in the request; 0 and empty mean unset.
struct ListRatingsQuery {
  int player_count = 0;
  int page_size = 0;
  std::string page_token;
  std::optional<PlayerId> around;
  bool show_provisional = false;
};

struct ListChangesQuery {
  PlayerId player;
  int player_count = 0;
  int page_size = 0;
  std::string page_token;
};

// Thread-safe. Every method: INVALID_ARGUMENT BAD_REQUEST; UNAVAILABLE STORAGE_AWAY.
class RatingService {
 public:
  // `place_deviation_max`: see Options.
  RatingService(RatingStore& store, Clock& clock, Metrics& metrics, double place_deviation_max);

  // Rates a match once; true when it had been rated before.
  absl::StatusOr<bool> RecordMatch(MatchResult match);

  // In the order asked; who never played here has the prior.
  absl::StatusOr<RatingList> GetRatings(int player_count, absl::Span<const PlayerId> players);

  // Also NOT_FOUND NOT_RANKED.
  absl::StatusOr<RatingList> ListRatings(const ListRatingsQuery& query);

  absl::StatusOr<ChangePage> ListChanges(const ListChangesQuery& query);

 private:
  absl::Status CheckMatch(const MatchResult& match);
  PlaceRule RuleFor(int player_count);
  ShownRating Show(int player_count, const Place& place);

  RatingStore& store_;
  Clock& clock_;
  Metrics& metrics_;
  const double place_deviation_max_;
};

}  // namespace tarot::ratings
