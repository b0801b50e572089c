// The class RatingService does the work of the gRPC services RatingService and RatingIngestService:
// it stores and rates matches, and shows the ladder. Places has the places of all ladders in
// memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/base/clock.h"
#include "libs/base/ids.h"
#include "libs/rating/past_places.h"
#include "libs/rating/ranks.h"
#include "libs/rating/rating.h"
#include "libs/rating/roles.h"
#include "services/ratings/app/match_recorder.h"
#include "services/ratings/app/rating_store.h"
#include "services/ratings/app/season_cache.h"
#include "services/ratings/metrics.h"

namespace tarot::ratings_service {

// A rating as players see it, with the uncertainty of now.
struct ShownRating {
  Standing standing;
  double rating = 0;
  double deviation = 0;
  std::optional<std::int64_t> rank;
  std::optional<rating::Tier> tier;  // Unset without a rated match.
  // The number of places that the player has gained since the beginning of the week; negative if
  // the player has lost places. Unset if the player has no place now, or had none at the beginning
  // of the week.
  std::optional<std::int64_t> week_change;
};

// The deals of a player in one role.
struct RoleResult {
  rating::Role role = rating::Role::kTaker;
  int deal_count = 0;
  int won_count = 0;  // Deals with a score above zero.
  std::int64_t points = 0;
  double result = 0;  // The sum of the results by which the ladder rates the deals (docs/luck.md).
};

struct ShownChange {
  RatingChange change;
  // The results of the player in each role, over the deals of the match. Empty if the roles are
  // unknown.
  std::vector<RoleResult> roles;
  // Unset if the match counts no more, because an operator voided it.
  std::optional<double> rating_before;
  std::optional<double> rating_after;
  std::optional<double> deviation_after;
};

struct RatingList {
  int player_count = 0;  // The ladder: 3, 4 or 5 players at a table.
  std::vector<ShownRating> ratings;
  std::string next_page_token;  // Empty on the last page.
  // ListRatings sets the following fields.
  std::int64_t total_size = 0;  // The number of players with a place on this ladder.
  int season = 0;               // The number of the newest season, or 0.
  absl::Time season_start_time;
};

struct ChangePage {
  std::vector<ShownChange> changes;
  std::string next_page_token;  // Empty on the last page.
};

struct ShownMatch {
  PlayedMatch match;
  // Unset for a casual match and a void match.
  std::optional<double> rating_before;
  std::optional<double> rating_after;
};

struct PlayerStatistics {
  int match_count = 0;  // The number of matches that `roles` covers.
  std::vector<RoleResult> roles;
};

struct MatchPage {
  std::vector<ShownMatch> matches;
  std::string next_page_token;  // Empty on the last page.
};

// The following structs have the fields of requests. A field with 0 or an empty text is not set.
struct ListRatingsQuery {
  int player_count = 0;
  int page_size = 0;
  std::string page_token;
  std::optional<PlayerId> around;
  std::vector<PlayerId> players;  // If not empty, the list has only these players.
  bool show_provisional = false;
  std::string country;  // If not empty, the list has only players of this country.
};

struct SearchQuery {
  std::string text;
  int player_count = 0;
  int page_size = 0;
  std::string page_token;
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

// The name of a leaderboard.
struct BoardName {
  int player_count = 0;  // The ladder.
  std::string country;   // If not empty, the board has only the players of this country.
};

// Holds the places of all ladders in memory. Reads all standings once, and later only the changes.
// After Refresh(), the places include all earlier changes by this replica. They include the changes
// by other replicas that are older than kPlacesAgeMax. Thread-safe.
class Places {
 public:
  // All arguments must outlive this object.
  Places(RatingStore& store, SeasonCache& seasons, Clock& clock, double place_deviation_max);

  // Brings the places up to date. Reads all standings again if a ladder has a new season, or after
  // a recomputation.
  absl::Status Refresh();
  // Makes the next Refresh() read the changes, even if the last read was just now. RatingService
  // calls this function after it stores a match or a country.
  void MarkOld() { old_ = true; }

  PlaceRule RuleFor(int player_count);
  // Returns the rank that a player with this standing has among the other players. Returns nullopt
  // if the standing is too uncertain for a place.
  std::optional<std::int64_t> RankOf(const BoardName& board, const Standing& standing);
  // Returns the rank that the player had at the beginning of this week (Monday, 0:00 UTC). Returns
  // nullopt if the player had no place. If a match ended before this week and its result arrived in
  // this week, the result may count as one of this week.
  std::optional<std::int64_t> RankAtWeekStart(int player_count, PlayerId player);
  // Returns the number of places on this board.
  std::int64_t Count(const BoardName& board);
  std::optional<rating::Ranks::Ranked> Find(const BoardName& board, PlayerId player);
  // Both return at most `limit` places after `past`. Below() lists them from better to worse and
  // begins with the best place if `past` is unset. Above() lists them from worse to better and
  // begins with the worst place.
  std::vector<rating::Ranks::Ranked> Below(const BoardName& board,
                                           const std::optional<PlaceKey>& past, int limit);
  std::vector<rating::Ranks::Ranked> Above(const BoardName& board,
                                           const std::optional<PlaceKey>& past, int limit);

 private:
  using Rules = std::map<int, PlaceRule>;  // By ladder.

  // The places of one ladder. A player with a country takes about 120 bytes more than one without.
  struct Ladder {
    rating::Ranks all;
    std::map<std::string, rating::Ranks> countries;
    absl::flat_hash_map<PlayerId, std::string> country_of;  // Only players in `countries`.

    void Set(const Standing& standing, const PlaceRule& rule);
  };

  // The places of one ladder at the beginning of this week.
  struct Week {
    rating::PastPlaces places;
    // The players who were rated this week, each with the place before the player's first match of
    // the week. The place is unset if the player had none. The keys of all other players are the
    // same as at the beginning of the week.
    absl::flat_hash_map<PlayerId, std::optional<PlaceKey>> rated;
  };
  using Weeks = std::map<int, Week>;                       // By ladder.
  using PlaceKeys = std::map<int, std::vector<PlaceKey>>;  // By ladder.

  Rules RulesNow();
  absl::Status Load(const Rules& rules);
  // Reads from the ledger the places at the beginning of the week. `unrated` has the places of the
  // players who were not rated since then.
  absl::StatusOr<Weeks> LoadWeek(absl::Time start, const Rules& rules, PlaceKeys unrated);
  // Starts a new week: the present places become the places at its beginning. The caller holds
  // ranks_mutex_.
  void BeginWeek(absl::Time start);
  // Sets the places of `standings`. The caller holds ranks_mutex_.
  void Apply(const std::vector<LadderStanding>& standings);

  // Removes the places that have ended, and returns the remaining ones. The caller holds
  // ranks_mutex_.
  rating::Ranks& RanksNow(const BoardName& board);

  RatingStore& store_;
  SeasonCache& seasons_;
  Clock& clock_;
  const double place_deviation_max_;
  std::atomic<bool> old_ = false;
  // A thread holds this mutex from the read of the store until it has applied the result. So
  // results are applied in the order of the reads.
  std::mutex read_mutex_;
  std::optional<std::int64_t> cursor_;  // Unset until all standings are read.
  std::int64_t recomputation_ = 0;      // StandingChanges::recomputation of the standings.
  absl::Time read_time_;
  Rules rules_;  // The rules by which `ladders_` was computed.
  std::mutex ranks_mutex_;
  std::map<int, Ladder> ladders_;  // By number of players.
  absl::Time week_start_;
  Weeks weeks_;
};

// Thread-safe. Every method may return INVALID_ARGUMENT BAD_REQUEST, and UNAVAILABLE STORAGE_AWAY
// or STORAGE_SLOW.
class RatingService {
 public:
  // service.h describes the option `place_deviation_max`. The other arguments must outlive this
  // object.
  RatingService(RatingStore& store, SeasonCache& seasons, Clock& clock, Metrics& metrics,
                double place_deviation_max);

  // Stores and rates a match; see MatchRecorder::Record().
  void RecordMatch(MatchResult match, MatchRecorder::Done done) {
    recorder_.Record(std::move(match), std::move(done));
  }

  // Brings the places up to date. The first call takes long, because it reads all standings; later
  // calls read only the changes. Methods that return ranks also bring the places up to date.
  absl::Status RefreshPlaces() { return places_.Refresh(); }

  // Returns the rating of a player, with the rank. A player without a match on this ladder has the
  // prior rating.
  absl::StatusOr<RatingList> GetRating(int player_count, PlayerId player);

  // Returns the ratings in the order of `players`, without ranks.
  absl::StatusOr<RatingList> GetRatings(int player_count, absl::Span<const PlayerId> players);

  // Returns a page of the leaderboard, or NOT_FOUND NOT_RANKED if `query.around` is not on it.
  absl::StatusOr<RatingList> ListRatings(const ListRatingsQuery& query);

  // Returns a page of the players whose name begins with `query.text`, sorted by name, with their
  // ratings and ranks on one ladder. Does not set RatingList::total_size and the season.
  absl::StatusOr<RatingList> SearchPlayers(const SearchQuery& query);

  // Sets the country of a player, or removes it if `country` is empty. Returns NOT_FOUND
  // PLAYER_NOT_FOUND if the player has finished no match.
  absl::Status SetCountry(PlayerId player, const std::string& country);

  absl::StatusOr<ChangePage> ListChanges(const ListChangesQuery& query);

  absl::StatusOr<MatchPage> ListMatches(const ListMatchesQuery& query);

  // Returns the player's results in each role, over the newest kStatisticsMatchesMax rated matches
  // on this ladder that count. Leaves out roles without a deal, and deals in which a bot acted for
  // the player.
  absl::StatusOr<PlayerStatistics> GetStatistics(int player_count, PlayerId player);

 private:
  ShownRating Show(const BoardName& board, const rating::Model& model, const Place& place);

  RatingStore& store_;
  Clock& clock_;
  SeasonCache& seasons_;
  Places places_;
  MatchRecorder recorder_;
};

}  // namespace tarot::ratings_service
