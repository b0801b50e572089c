// The ladder: its data, the store that keeps them, the rating of a match, and its use cases.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/base/clock.h"
#include "libs/base/ids.h"
#include "libs/rating/rating.h"
#include "services/ratings/metrics.h"

namespace tarot::ratings_service {

struct MatchPlayer {
  PlayerId player;
  std::string display_name;
  bool bot = false;
  int total = 0;  // In points, summed over the deals.
};

// A finished match as the rules service sends it.
struct MatchResult {
  TableId table;
  int deal_count = 0;
  std::vector<MatchPlayer> players;  // Sorted by id, because a sum of doubles depends on the order.
  absl::Time match_time;             // In whole microseconds, the precision of Postgres.
  bool rated = true;                 // False for a casual match, which changes no rating.

  int player_count() const { return static_cast<int>(players.size()); }
};

// A player's rating on one ladder. Each table size (3, 4 or 5 players) has its own ladder.
struct Standing {
  PlayerId player;
  std::string display_name;
  bool bot = false;
  rating::Skill skill;  // The skill as it was at `update_time`.
  // 0 if the player has no match on this ladder yet. Then `skill` and `update_time` mean nothing.
  int match_count = 0;
  absl::Time update_time;
};

// The effect of one match on one of its players, with everything that is needed to rate the match
// again.
struct LedgerEntry {
  PlayerId player;
  bool bot = false;
  int total = 0;
  rating::Skill before;  // The skill before the match, aged to the time of the match.
  rating::Skill after;
};

struct LedgerMatch {
  // A player's later matches have higher sequences. So ratings that are computed in this order are
  // exact.
  std::int64_t sequence = 0;
  TableId table;
  int deal_count = 0;
  absl::Time match_time;
  std::vector<LedgerEntry> entries;
};

// A match after it was rated. The entries are in the order of its players.
struct RatedMatch {
  std::vector<LedgerEntry> entries;
  std::vector<Standing> after;
  std::vector<double> surprises;  // See rating::Surprises.
};

// A player has a place if the variance, grown until `now`, is at most `variance_max`.
struct PlaceRule {
  absl::Time now;
  double variance_max = 0;
  double variance_growth_per_second = 0;
};

// The key by which leaderboards are ordered: by mu, then by player id, the greatest first. No two
// keys are equal.
struct PlaceKey {
  double mu = 0;
  PlayerId player;

  friend auto operator<=>(const PlaceKey&, const PlaceKey&) = default;
};

struct Place {
  Standing standing;
  std::optional<std::int64_t> rank;  // From 1; unset for a player without a place.

  PlaceKey key() const { return {.mu = standing.skill.mu, .player = standing.player}; }
};

struct PlacesQuery {
  int player_count = 0;
  PlaceRule rule;
  bool provisional = false;  // Lists the players without a place instead of the others.
  bool upwards = false;      // True for the order from worse to better.
  // The page begins after this key. If it is unset, the page begins at the end of the board.
  std::optional<PlaceKey> past;
  int limit = 0;
};

// One line of a player's rating history.
struct RatingChange {
  std::int64_t sequence = 0;
  TableId table;
  int deal_count = 0;
  int total = 0;
  rating::Skill before;
  rating::Skill after;
  absl::Time match_time;
};

// A finished match of a player, rated or not.
struct PlayedMatch {
  std::int64_t sequence = 0;
  TableId table;
  int deal_count = 0;
  absl::Time match_time;
  std::vector<MatchPlayer> players;  // Sorted by id; names are the newest ones.
  // The player's skill; unset for a casual match.
  std::optional<rating::Skill> before;
  std::optional<rating::Skill> after;
};

// The store of the ladder. Thread-safe. Every method may return UNAVAILABLE STORAGE_AWAY. The
// implementations share one contract test, services/ratings/testing/rating_store_contract.h.
class RatingStore {
 public:
  // The state that is needed to rate a match.
  struct MatchState {
    bool recorded = false;            // True if the store already has the match.
    std::vector<Standing> standings;  // One per player, in the match's order.
  };

  virtual ~RatingStore() = default;

  virtual absl::StatusOr<MatchState> ReadMatchState(const MatchResult& match) = 0;

  // Stores the match and its ratings, all of them or nothing, and at most once. Returns false, and
  // changes nothing, when the match was stored before. Returns ABORTED STORAGE_CONFLICT when
  // another match of one of the players was stored after `rated` was computed.
  virtual absl::StatusOr<bool> Record(const MatchResult& match, const RatedMatch& rated) = 0;

  // Stores a match that changes no rating, at most once. Returns false when it was stored before.
  virtual absl::StatusOr<bool> RecordUnrated(const MatchResult& match) = 0;

  // Returns the standings in the order of `players`.
  virtual absl::StatusOr<std::vector<Place>> GetPlaces(int player_count, const PlaceRule& rule,
                                                       absl::Span<const PlayerId> players) = 0;

  virtual absl::StatusOr<std::vector<Place>> ListPlaces(const PlacesQuery& query) = 0;

  // Returns the player's changes with a sequence below `before`, newest first.
  virtual absl::StatusOr<std::vector<RatingChange>> ListChanges(int player_count, PlayerId player,
                                                                std::int64_t before, int limit) = 0;

  // Returns the player's matches with a sequence below `before`, on all tables, newest first.
  virtual absl::StatusOr<std::vector<PlayedMatch>> ListMatches(PlayerId player, std::int64_t before,
                                                               int limit) = 0;

  // Returns the rated matches with a sequence above `after`, oldest first.
  virtual absl::StatusOr<std::vector<LedgerMatch>> ReadLedger(std::int64_t after, int limit) = 0;

  // Returns the number of players with a rating on any ladder.
  virtual absl::StatusOr<std::int64_t> CountPlayers() = 0;
};

// Rates one match. `standings` are in the order of the match's players. Ratings are a fold of this
// function over the ledger, both live and when ratings are computed again.
RatedMatch RateMatch(const MatchResult& match, absl::Span<const Standing> standings);

// Standings by player count and player. The ledger contains no names, so the names here stay empty.
using Standings = std::map<std::pair<int, PlayerId>, Standing>;

// Rates every match of the ledger again, from the first one on, with today's model. If other
// matches are stored meanwhile, the newest ones may be missing.
absl::StatusOr<Standings> Recompute(RatingStore& store);

// A rating as players see it, with the uncertainty grown until now.
struct ShownRating {
  Standing standing;
  double rating = 0;
  double deviation = 0;
  std::optional<std::int64_t> rank;
};

struct ShownChange {
  RatingChange change;
  double rating_before = 0;
  double rating_after = 0;
  double deviation_after = 0;
};

struct RatingList {
  int player_count = 0;  // The ladder, by its number of players.
  std::vector<ShownRating> ratings;
  std::string next_page_token;  // Empty on the last page.
};

struct ChangePage {
  std::vector<ShownChange> changes;
  std::string next_page_token;  // Empty on the last page.
};

struct ShownMatch {
  PlayedMatch match;
  // Unset for a casual match.
  std::optional<double> rating_before;
  std::optional<double> rating_after;
};

struct MatchPage {
  std::vector<ShownMatch> matches;
  std::string next_page_token;  // Empty on the last page.
};

// The fields have the values of the request; 0 and the empty text mean unset.
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

struct ListMatchesQuery {
  PlayerId player;
  int page_size = 0;
  std::string page_token;
};

// Thread-safe. Every method may return INVALID_ARGUMENT BAD_REQUEST and UNAVAILABLE STORAGE_AWAY.
class RatingService {
 public:
  // `place_deviation_max` is described in Options.
  RatingService(RatingStore& store, Clock& clock, Metrics& metrics, double place_deviation_max);

  // Stores a match once, and rates it unless it is casual. Returns true when the match was stored
  // before. Returns UNAVAILABLE OVERLOADED if all attempts fail because other matches of the same
  // players are stored first.
  absl::StatusOr<bool> RecordMatch(MatchResult match);

  // Returns the ratings in the order of `players`. A player without a match on this ladder has the
  // prior rating.
  absl::StatusOr<RatingList> GetRatings(int player_count, absl::Span<const PlayerId> players);

  // The errors of this function also include NOT_FOUND NOT_RANKED.
  absl::StatusOr<RatingList> ListRatings(const ListRatingsQuery& query);

  absl::StatusOr<ChangePage> ListChanges(const ListChangesQuery& query);

  absl::StatusOr<MatchPage> ListMatches(const ListMatchesQuery& query);

 private:
  absl::Status CheckMatch(const MatchResult& match);
  // Makes one read and one write. Returns false when the match was stored before. Returns ABORTED
  // when the match must be rated again, from newer standings.
  absl::StatusOr<bool> RecordOnce(const MatchResult& match);
  PlaceRule RuleFor(int player_count);
  ShownRating Show(int player_count, const Place& place);

  RatingStore& store_;
  Clock& clock_;
  Metrics& metrics_;
  const double place_deviation_max_;
};

}  // namespace tarot::ratings_service
