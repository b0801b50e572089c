// The data of the ladder, the interface of its store, the rating of a match, and RatingService,
// which does the work of the RPCs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/base/clock.h"
#include "libs/base/ids.h"
#include "libs/rating/ranks.h"
#include "libs/rating/rating.h"
#include "services/ratings/app/dealt_deals.h"
#include "services/ratings/app/season.h"
#include "services/ratings/metrics.h"

namespace tarot::ratings_service {

// The luck of a player in one match (docs/luck.md).
struct PlayerLuck {
  double luck = 0;    // The points of the match that the player owes to the cards.
  double result = 0;  // The weighted result per scored deal, by which the match is rated.
};

struct MatchPlayer {
  PlayerId player;
  std::string display_name;
  bool bot = false;
  int total = 0;  // The sum of the scores of all deals.
  // Unset if the match is rated by plain points.
  std::optional<PlayerLuck> luck;
  // True if a bot acted for this person in at least half of the deals. RatingService sets it.
  bool left = false;
};

// A finished match as the rules service sends it.
struct MatchResult {
  TableId table;
  int deal_count = 0;
  // In the order of their seats until RatingService sorts them by id, so that each rating of this
  // match adds its doubles in the same order.
  std::vector<MatchPlayer> players;
  absl::Time match_time;  // In whole microseconds, as in Postgres.
  bool rated = true;      // False for a casual match, which changes no rating.
  // The deals of a rated match; may be empty. The rule set is a text of rules::EncodeRuleSet().
  // RatingService sets `seats`, which has the players in the order of their seats.
  std::string rule_values;
  std::vector<PlayerId> seats;
  std::vector<DealtDeal> deals;
  // The season by whose numbers the luck was taken out, or 0. RatingService sets it.
  int season = 0;

  int player_count() const { return static_cast<int>(players.size()); }
};

// A player's rating on one ladder. Each table size (3, 4 or 5 players) has its own ladder.
struct Standing {
  PlayerId player;
  std::string display_name;
  bool bot = false;
  rating::Skill skill;  // The skill as it was at `update_time`.
  // The number of the player's rated matches on this ladder. If it is 0, `skill` and `update_time`
  // have no meaning.
  int match_count = 0;
  absl::Time update_time;
};

// The effect of one rated match on one of its players. It has all data of the player that are
// needed to rate the match again.
struct LedgerEntry {
  PlayerId player;
  bool bot = false;
  int total = 0;
  std::optional<PlayerLuck> luck;
  bool left = false;     // MatchPlayer::left
  rating::Skill before;  // The skill before the match, aged to the time of the match.
  rating::Skill after;
};

struct LedgerMatch {
  // If two matches have a common player, the match that was stored later has the higher sequence.
  // So ratings that are computed in this order equal the stored ratings.
  std::int64_t sequence = 0;
  TableId table;
  int deal_count = 0;
  absl::Time match_time;
  int season = 0;  // MatchResult::season
  std::vector<LedgerEntry> entries;
};

// The result of rating a match. `entries` and `after` are in the order of the match's players.
struct RatedMatch {
  std::vector<LedgerEntry> entries;
  std::vector<Standing> after;
  std::vector<double> surprises;  // See rating::Surprises.
};

// A player has a place on the leaderboard if the variance of the player's skill, grown until `now`,
// is at most `variance_max`.
struct PlaceRule {
  absl::Time now;
  double variance_max = 0;
  double variance_growth_per_second = 0;
};

using rating::PlaceKey;

// A line of a leaderboard.
struct Place {
  Standing standing;
  std::optional<std::int64_t> rank;  // From 1; unset for a player without a place.
  // The position of this line in the list. It may differ from `standing` if the player was rated
  // while the list was read.
  PlaceKey key;
};

// A list of the players without a place.
struct ProvisionalQuery {
  int player_count = 0;
  PlaceRule rule;
  bool upwards = false;  // True to list from worse to better players.
  // The page begins after this key. If the key is unset, the page begins with the best player, or
  // with the worst player if `upwards` is true.
  std::optional<PlaceKey> past;
  int limit = 0;
};

struct LadderStanding {
  int player_count = 0;  // The ladder.
  Standing standing;     // Without the name, and without `bot`.
};

struct StandingChanges {
  std::vector<LadderStanding> standings;  // As they are now, in no order.
  std::int64_t cursor = 0;                // The cursor of the next read.
};

// One line of a player's rating history.
struct RatingChange {
  std::int64_t sequence = 0;
  TableId table;
  int deal_count = 0;
  int total = 0;
  std::optional<double> luck;  // PlayerLuck::luck
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
  std::vector<MatchPlayer> players;  // Sorted by id, with the newest names.
  // The player's skill before and after the match; unset for a casual match.
  std::optional<rating::Skill> before;
  std::optional<rating::Skill> after;
};

// Players' tokens that every gateway refuses.
struct Revocation {
  std::int64_t sequence = 0;  // A newer revocation has a higher sequence.
  // The id of one token; or the id of a player if `latest_sign_in_time` is set.
  Uuid subject;
  // All tokens of the player who signed in at this time or before are revoked.
  std::optional<absl::Time> latest_sign_in_time;
  // The time when the last of these tokens expires.
  absl::Time expire_time;
};

struct RevocationPage {
  std::vector<Revocation> revocations;  // In the order of their sequences.
  // There is no further revocation up to this sequence.
  std::int64_t known_sequence = 0;
  std::int64_t last_sequence = 0;  // The sequence of the newest revocation.
};

// The name of a person with a rating on a ladder. The other fields are the place in the list of
// names: the latest match comes first.
struct RankedName {
  std::string display_name;
  absl::Time update_time = absl::InfiniteFuture();  // The time of the person's last rated match.
  PlayerId player;
  int player_count = 0;  // The ladder.
};

// The store of the ladder and of revoked tokens. Thread-safe. Every method may return UNAVAILABLE
// STORAGE_AWAY. All implementations pass one contract test,
// services/ratings/testing/rating_store_contract.h.
class RatingStore {
 public:
  // The state that is needed to rate a match.
  struct MatchState {
    bool recorded = false;            // True if the store already has the match.
    std::vector<Standing> standings;  // In the order of the match's players.
    int season = 0;  // The number of the ladder's newest season, or 0 before the first one.
  };

  virtual ~RatingStore() = default;

  virtual absl::StatusOr<MatchState> ReadMatchState(const MatchResult& match) = 0;

  // Stores the match and its ratings in one atomic step. If the match was stored before, changes
  // nothing and returns false. Returns ABORTED STORAGE_CONFLICT if another match of one of the
  // players was stored on this ladder after the state for `rated` was read.
  virtual absl::StatusOr<bool> Record(const MatchResult& match, const RatedMatch& rated) = 0;

  // Stores a match that changes no rating. If the match was stored before, changes nothing and
  // returns false.
  virtual absl::StatusOr<bool> RecordUnrated(const MatchResult& match) = 0;

  // Returns the standings on the ladder of `player_count`, in the order of `players`.
  virtual absl::StatusOr<std::vector<Standing>> GetStandings(
      int player_count, absl::Span<const PlayerId> players) = 0;

  virtual absl::StatusOr<std::vector<Standing>> ListProvisional(const ProvisionalQuery& query) = 0;

  // Returns the standings of all ladders after (`player`, `player_count`), in the order of player
  // and ladder. A player id without bits and the ladder 0 are before all standings.
  virtual absl::StatusOr<std::vector<LadderStanding>> ListStandings(PlayerId player,
                                                                    int player_count,
                                                                    int limit) = 0;

  // Returns all standings that changed after the read that returned `cursor`, perhaps with some
  // that changed before. Without a cursor, returns only a cursor: later reads after this cursor
  // miss no change that is not visible now.
  virtual absl::StatusOr<StandingChanges> ReadChangedStandings(
      std::optional<std::int64_t> cursor) = 0;

  // Returns the player's rated matches on this ladder with a sequence below `before`, newest first.
  virtual absl::StatusOr<std::vector<RatingChange>> ListChanges(int player_count, PlayerId player,
                                                                std::int64_t before, int limit) = 0;

  // Returns the player's matches of all ladders with a sequence below `before`, rated or not,
  // newest first.
  virtual absl::StatusOr<std::vector<PlayedMatch>> ListMatches(PlayerId player, std::int64_t before,
                                                               int limit) = 0;

  // Returns the rated matches with a sequence above `after`, oldest first.
  virtual absl::StatusOr<std::vector<LedgerMatch>> ReadLedger(std::int64_t after, int limit) = 0;

  // Returns all seasons of all ladders, older ones first.
  virtual absl::StatusOr<std::vector<Season>> ReadSeasons() = 0;

  // Stores a new season of its ladder. Returns ABORTED STORAGE_CONFLICT if the ladder has a season
  // with this number.
  virtual absl::Status AddSeason(const Season& season) = 0;

  // Returns the number of players with a rating on any ladder.
  virtual absl::StatusOr<std::int64_t> CountPlayers() = 0;

  // Returns at most `limit` names of people with a rated match at `since` or later, newest match
  // first. A person with matches on two ladders is there twice. Begins after the place of `after`;
  // RankedName() is before all places.
  virtual absl::StatusOr<std::vector<RankedName>> ListRankedNames(const RankedName& after,
                                                                  absl::Time since, int limit) = 0;

  // Stores a revocation with the next sequence. It replaces a revocation of the same subject, and
  // keeps the later times. Returns false and changes nothing if the new sequence would be at least
  // `limit` above the lowest stored sequence. So the store never has more than `limit` revocations.
  virtual absl::StatusOr<bool> Revoke(const Revocation& revocation, int limit) = 0;

  // Returns at most `limit` revocations with a sequence above `after`. A revocation that is stored
  // later has a sequence above RevocationPage::known_sequence.
  virtual absl::StatusOr<RevocationPage> ListRevocations(std::int64_t after, int limit) = 0;

  // Removes at most `limit` revocations whose tokens expired at `now` or before. Returns their
  // number.
  virtual absl::StatusOr<int> RemoveRevocations(absl::Time now, int limit) = 0;
};

// Rates one match by `model`. `standings` are in the order of the match's players. The service and
// Recompute both call this function for one match after another, so they get the same ratings.
RatedMatch RateMatch(const MatchResult& match, absl::Span<const Standing> standings,
                     const rating::Model& model);

// All seasons of all ladders: maps the ladder, by its number of players, and the number of the
// season to the season.
using Seasons = std::map<std::pair<int, int>, Season>;

// Standings by ladder (its number of players) and player. The ledger has no names, so the names are
// empty.
using Standings = std::map<std::pair<int, PlayerId>, Standing>;

// Rates every match of the ledger again, from the first match on, by the model of its season. If
// other matches are stored meanwhile, the newest matches may be missing.
absl::StatusOr<Standings> Recompute(RatingStore& store);

// A rating as players see it. Its uncertainty has grown until now.
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

// The queries below have the values of the request. 0 or an empty text means that the field is
// unset.
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

// The places of all ladders, in memory. It reads them from the store once, and then the changes.
// Changes of this replica are in the next answer, and changes of other replicas at most
// kPlacesAgeMax later. Thread-safe.
class Places {
 public:
  // `model` returns the present model of a ladder.
  Places(RatingStore& store, Clock& clock, double place_deviation_max,
         std::function<rating::Model(int player_count)> model);

  // Brings the places up to date. Reads all standings again if a ladder has a new model.
  absl::Status Refresh();
  // Makes the next Refresh() read the changes, however new the last ones are. The service calls
  // this after it stores a match.
  void MarkOld() { old_ = true; }

  PlaceRule RuleFor(int player_count);
  // Returns the rank that this standing has among the places of the others. Unset if the standing
  // is too uncertain for a place.
  std::optional<std::int64_t> RankOf(int player_count, const Standing& standing);
  std::optional<rating::Ranks::Ranked> Find(int player_count, PlayerId player);
  // Return at most `limit` places after `past`. Below() begins with the best place and goes down,
  // Above() begins with the worst place and goes up.
  std::vector<rating::Ranks::Ranked> Below(int player_count, const std::optional<PlaceKey>& past,
                                           int limit);
  std::vector<rating::Ranks::Ranked> Above(int player_count, const std::optional<PlaceKey>& past,
                                           int limit);

 private:
  using Rules = std::map<int, PlaceRule>;  // By ladder.

  Rules RulesNow();
  absl::Status Load(const Rules& rules);

  // Returns the places without those that have ended. The caller holds ranks_mutex_.
  rating::Ranks& RanksNow(int player_count);

  RatingStore& store_;
  Clock& clock_;
  const double place_deviation_max_;
  const std::function<rating::Model(int)> model_;
  std::atomic<bool> old_ = false;
  // Held during a read, so that reads are applied in their order.
  std::mutex read_mutex_;
  std::optional<std::int64_t> cursor_;  // Unset until all standings are read.
  absl::Time read_time_;
  Rules rules_;  // The rules of the last reads.
  std::mutex ranks_mutex_;
  std::map<int, rating::Ranks> ranks_;  // By ladder.
};

// Thread-safe. Every method may return INVALID_ARGUMENT BAD_REQUEST and UNAVAILABLE STORAGE_AWAY.
class RatingService {
 public:
  // service.h describes the option `place_deviation_max`.
  RatingService(RatingStore& store, Clock& clock, Metrics& metrics, double place_deviation_max);

  // Stores a match, and rates it unless it is casual. If the match was stored before, changes
  // nothing and returns true. Returns UNAVAILABLE OVERLOADED if kRecordAttemptsMax attempts fail
  // because other matches of the same players are stored first.
  absl::StatusOr<bool> RecordMatch(MatchResult match);

  // Begins a season on the ladder of each of `seasons`, whose own numbers of season do not matter.
  // Returns a line about each ladder that changes. A ladder whose newest season has the same
  // numbers does not change. Returns UNAVAILABLE OVERLOADED if another call begins a season.
  absl::StatusOr<std::vector<std::string>> StartSeasons(std::vector<Season> seasons);

  // Reads the places, or what changed since the last read. The other methods do so too when they
  // need places. The first read takes as long as it takes to read all standings.
  absl::Status RefreshPlaces() { return places_.Refresh(); }

  // Returns the rating of a player, with the rank. A player without a match on this ladder has the
  // prior rating.
  absl::StatusOr<RatingList> GetRating(int player_count, PlayerId player);

  // Returns the ratings in the order of `players`, without ranks.
  absl::StatusOr<RatingList> GetRatings(int player_count, absl::Span<const PlayerId> players);

  // Also returns NOT_FOUND NOT_RANKED if the list does not contain the player `query.around`.
  absl::StatusOr<RatingList> ListRatings(const ListRatingsQuery& query);

  absl::StatusOr<ChangePage> ListChanges(const ListChangesQuery& query);

  absl::StatusOr<MatchPage> ListMatches(const ListMatchesQuery& query);

 private:
  absl::Status CheckMatch(const MatchResult& match);
  // Makes one attempt. Returns false if the match was stored before, and ABORTED if the match must
  // be rated again from newer standings.
  absl::StatusOr<bool> RecordOnce(MatchResult& match);
  // Returns the season with this number. Reads the seasons again if it does not know this one.
  absl::StatusOr<Season> FindSeason(int player_count, int number);
  // Returns the model of the newest season of a ladder. It may be up to kSeasonsKept old.
  rating::Model ModelNow(int player_count);
  // Reads all seasons, and keeps them for ModelNow().
  absl::StatusOr<std::shared_ptr<const Seasons>> ReadSeasons();
  std::shared_ptr<const Seasons> KnownSeasons();
  ShownRating Show(const rating::Model& model, const Place& place);

  RatingStore& store_;
  Clock& clock_;
  Metrics& metrics_;
  Places places_;

  std::mutex mutex_;
  std::shared_ptr<const Seasons> seasons_ = std::make_shared<const Seasons>();
  absl::Time seasons_time_ = absl::InfinitePast();  // The time when `seasons_` was read.
};

}  // namespace tarot::ratings_service
