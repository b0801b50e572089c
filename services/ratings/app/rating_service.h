// Declares the class RatingService, which does the work of the gRPC services RatingService and
// RatingIngestService. It stores and rates matches, and shows the ladder. The class Places keeps
// the places of all ladders in memory.
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

// A rating in the form that players see, with its present uncertainty.
struct ShownRating {
  Standing standing;
  double rating = 0;
  double deviation = 0;
  std::optional<std::int64_t> rank;
  std::optional<rating::Tier> tier;  // Unset if the player has no rated match.
  // The number of places that the player has gained since the beginning of the week. It is negative
  // if the player has lost places. It is unset if the player has no place now, or had none at the
  // beginning of the week.
  std::optional<std::int64_t> week_change;
};

// The results of the deals that a player has played in one role.
struct RoleResult {
  rating::Role role = rating::Role::kTaker;
  int deal_count = 0;
  int won_count = 0;  // The number of deals with a score above zero.
  std::int64_t points = 0;
  // The sum of the results that the ladder uses to rate the deals (docs/luck.md).
  double result = 0;
};

struct ShownChange {
  RatingChange change;
  // The results of the player in each role, over the deals of the match. Empty if the service does
  // not know the roles.
  std::vector<RoleResult> roles;
  // Unset if the match counts no more, because an operator has voided it.
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

// The following structs have the fields of requests. If a field is 0 or an empty text, it is not
// set.
struct ListRatingsQuery {
  int player_count = 0;
  int page_size = 0;
  std::string page_token;
  std::optional<PlayerId> around;
  std::vector<PlayerId> players;  // If this member is not empty, the list has only these players.
  bool show_provisional = false;
  std::string country;  // If this member is not empty, the list has only players of this country.
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

// The parameters that select a leaderboard.
struct BoardName {
  int player_count = 0;  // The ladder.
  // If this member is not empty, the leaderboard has only the players of this country.
  std::string country;
};

// Holds the places of all ladders in memory. Reads all standings once, and later only the changes.
// After Refresh(), the places include all earlier changes by this replica. They also include each
// change by another replica that is older than kPlacesAgeMax. Thread-safe.
class Places {
 public:
  // All arguments must outlive this object.
  Places(RatingStore& store, SeasonCache& seasons, Clock& clock, double place_deviation_max);

  // Reads the changes, so that the places are up to date. If a ladder has a new season, or if there
  // was a recomputation, reads all standings again.
  absl::Status Refresh();
  // Makes the next Refresh() read the changes, even if the last read has just ended. RatingService
  // calls this function after it stores a match or a country.
  void MarkOld() { old_ = true; }

  PlaceRule RuleFor(int player_count);
  // Returns the rank that a player with this standing has among the other players. If the standing
  // is too uncertain for a place, returns nullopt.
  std::optional<std::int64_t> RankOf(const BoardName& board, const Standing& standing);
  // Returns the rank that the player had at the beginning of this week (Monday, 0:00 UTC). If the
  // player had no place, returns nullopt. A match may end before this week and its result may
  // arrive in this week. Then the result may count as a result of this week.
  std::optional<std::int64_t> RankAtWeekStart(int player_count, PlayerId player);
  // Returns the number of places on this leaderboard.
  std::int64_t Count(const BoardName& board);
  std::optional<rating::Ranks::Ranked> Find(const BoardName& board, PlayerId player);
  // Both functions return at most `limit` places. Below() returns the places after `past`, from
  // better to worse. If `past` is unset, it begins with the best place. Above() returns the places
  // before `past`, from worse to better. If `past` is unset, it begins with the worst place.
  std::vector<rating::Ranks::Ranked> Below(const BoardName& board,
                                           const std::optional<PlaceKey>& past, int limit);
  std::vector<rating::Ranks::Ranked> Above(const BoardName& board,
                                           const std::optional<PlaceKey>& past, int limit);

 private:
  using Rules = std::map<int, PlaceRule>;  // By ladder.

  // The places of one ladder. A player with a country takes about 120 bytes more than a player
  // without a country.
  struct Ladder {
    rating::Ranks all;
    std::map<std::string, rating::Ranks> countries;
    absl::flat_hash_map<PlayerId, std::string> country_of;  // The players in `countries`.

    void Set(const Standing& standing, const PlaceRule& rule);
  };

  // The places of one ladder at the beginning of this week.
  struct Week {
    rating::PastPlaces places;
    // The players who were rated this week. The value is the place before the player's first match
    // of the week; it is unset if the player had no place. All other players have the same key now
    // as at the beginning of the week.
    absl::flat_hash_map<PlayerId, std::optional<PlaceKey>> rated;
  };
  using Weeks = std::map<int, Week>;                       // By ladder.
  using PlaceKeys = std::map<int, std::vector<PlaceKey>>;  // By ladder.

  Rules RulesNow();
  absl::Status Load(const Rules& rules);
  // Reads from the ledger the places at the beginning of the week. `unrated` has the places of the
  // players who were not rated since the beginning of the week.
  absl::StatusOr<Weeks> LoadWeek(absl::Time start, const Rules& rules, PlaceKeys unrated);
  // Starts a new week. The present places become the places at the beginning of this week. The
  // caller holds ranks_mutex_.
  void BeginWeek(absl::Time start);
  // Sets the places of `standings`. The caller holds ranks_mutex_.
  void Apply(const std::vector<LadderStanding>& standings);

  // Removes the places of players whose ratings have become too uncertain, and returns the
  // remaining places. The caller holds ranks_mutex_.
  rating::Ranks& RanksNow(const BoardName& board);

  RatingStore& store_;
  SeasonCache& seasons_;
  Clock& clock_;
  const double place_deviation_max_;
  std::atomic<bool> old_ = false;
  // A thread holds this mutex from the read of the store until the thread has applied the result.
  // So results are applied in the order of the reads.
  std::mutex read_mutex_;
  std::optional<std::int64_t> cursor_;  // Unset until all standings are read.
  // The value of StandingChanges::recomputation when the standings were read.
  std::int64_t recomputation_ = 0;
  absl::Time read_time_;
  Rules rules_;  // The rules for places with which `ladders_` was computed.
  std::mutex ranks_mutex_;
  // The places of each ladder. The key is the number of players at a table.
  std::map<int, Ladder> ladders_;
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

  // Reads the changes, so that the places are up to date. The first call takes a long time, because
  // it reads all standings. Methods that return ranks also read the changes first.
  absl::Status RefreshPlaces() { return places_.Refresh(); }

  // Returns the rating of a player, with the rank. A player without a match on this ladder has the
  // prior rating.
  absl::StatusOr<RatingList> GetRating(int player_count, PlayerId player);

  // Returns the ratings in the order of `players`, without ranks.
  absl::StatusOr<RatingList> GetRatings(int player_count, absl::Span<const PlayerId> players);

  // Returns a page of the leaderboard. If `query.around` is not on it, returns NOT_FOUND
  // NOT_RANKED.
  absl::StatusOr<RatingList> ListRatings(const ListRatingsQuery& query);

  // Returns a page of the players whose name begins with `query.text`, sorted by name, with their
  // ratings and ranks on one ladder. Does not set RatingList::total_size and the season.
  absl::StatusOr<RatingList> SearchPlayers(const SearchQuery& query);

  // Sets the country of a player. If `country` is empty, removes the player's country. If the
  // player has finished no match, returns NOT_FOUND PLAYER_NOT_FOUND.
  absl::Status SetCountry(PlayerId player, const std::string& country);

  absl::StatusOr<ChangePage> ListChanges(const ListChangesQuery& query);

  absl::StatusOr<MatchPage> ListMatches(const ListMatchesQuery& query);

  // Returns the player's results in each role. They come from the newest kStatisticsMatchesMax
  // rated matches on this ladder that count. Leaves out roles without a deal, and deals in which a
  // bot acted for the player.
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
