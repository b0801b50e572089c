// Port: what the ratings service must keep. One contract test holds every implementation
// (tests/integration/rating_store_contract.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "services/ratings/app/match_result.h"

namespace tarot::ratings {

// Who holds a place on a leaderboard: those whose variance, grown until `now`, is small enough.
struct PlaceRule {
  absl::Time now;
  double variance_max = 0;
  double variance_growth_per_second = 0;
};

// Leaderboards are ordered by mu, then by player id, the greatest first: no two are equal.
struct PlaceKey {
  double mu = 0;
  PlayerId player;

  friend auto operator<=>(const PlaceKey&, const PlaceKey&) = default;
};

struct Place {
  Standing standing;
  std::optional<std::int64_t> rank;  // From 1; only for who holds a place.

  PlaceKey key() const { return {.mu = standing.skill.mu, .player = standing.player}; }
};

struct PlacesQuery {
  int player_count = 0;
  PlaceRule rule;
  bool provisional = false;      // Those without a place instead of those with one.
  bool upwards = false;          // From worse to better.
  std::optional<PlaceKey> past;  // Begins after this key; at the end of the board when unset.
  int limit = 0;
};

// One line of a player's history.
struct Change {
  std::int64_t sequence = 0;
  TableId table;
  int deal_count = 0;
  int total = 0;
  rating::Skill before;
  rating::Skill after;
  absl::Time match_time;
};

// Thread-safe. Every method: UNAVAILABLE STORAGE_AWAY.
class RatingStore {
 public:
  // The ledger's entries for standings given in the order of the match's players. May be called
  // more than once, when a transaction is tried again.
  using Rater = absl::FunctionRef<std::vector<LedgerEntry>(const std::vector<Standing>&)>;

  struct Recorded {
    bool replayed = false;  // The match was there before; nothing has changed.
    int new_player_count = 0;
  };

  virtual ~RatingStore() = default;

  // Rates a match, all its players at once or not at all, and at most once. While `rate` runs
  // nobody else changes these players.
  virtual absl::StatusOr<Recorded> Record(const MatchResult& match, Rater rate) = 0;

  // In the order asked.
  virtual absl::StatusOr<std::vector<Place>> GetPlaces(int player_count, const PlaceRule& rule,
                                                       absl::Span<const PlayerId> players) = 0;

  virtual absl::StatusOr<std::vector<Place>> ListPlaces(const PlacesQuery& query) = 0;

  // Newest first, those with a sequence below `before`.
  virtual absl::StatusOr<std::vector<Change>> ListChanges(int player_count, PlayerId player,
                                                          std::int64_t before, int limit) = 0;

  // In the order of sequence, those above `after`.
  virtual absl::StatusOr<std::vector<LedgerMatch>> ReadLedger(std::int64_t after, int limit) = 0;

  // With a rating on any ladder.
  virtual absl::StatusOr<std::int64_t> CountPlayers() = 0;
};

}  // namespace tarot::ratings
