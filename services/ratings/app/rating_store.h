// The data of the ladder, and the interface of its store.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/base/ids.h"
#include "libs/rating/ranks.h"
#include "libs/rating/rating.h"
#include "services/ratings/app/dealt_deals.h"
#include "services/ratings/app/season.h"

namespace tarot::ratings_service {

// The luck of a player in one match (docs/luck.md).
struct PlayerLuck {
  // The points of the match that the ladder takes out: DealLuck::points, summed over the deals.
  double luck = 0;
  double result = 0;  // The weighted result per scored deal. The match is rated by it.
};

struct MatchPlayer {
  PlayerId player;
  std::string display_name;
  bool bot = false;
  int total = 0;  // The sum of the scores of all deals.
  // The player's luck; unset if the match is rated by plain points.
  std::optional<PlayerLuck> luck;
  // True if a bot acted for this person in at least half of the deals. MatchRecorder sets it.
  bool left = false;
};

// A finished match as the rules service sends it.
struct MatchResult {
  TableId table;
  int deal_count = 0;
  // The caller gives the players in the order of their seats. MatchRecorder sorts them by id. So
  // each computation adds the doubles in the same order and gives the same result.
  std::vector<MatchPlayer> players;
  absl::Time match_time;  // In whole microseconds, as Postgres stores it.
  bool rated = true;      // False for a casual match, which changes no rating.
  // `rule_values` is rules::EncodeRuleSet() of the rule set. MatchRecorder sets `seats`, which has
  // the players in the order of their seats. `deals` has the deals of a rated match; it may be
  // empty.
  std::string rule_values;
  std::vector<PlayerId> seats;
  std::vector<DealtDeal> deals;
  // The season by whose numbers the luck was taken out, or 0. TakeLuckOut() sets it.
  int season = 0;
  // The number of the ladder's newest season when MatchRecorder took the luck out of this match; 0
  // if it knew no season. If the ladder has a newer season when the match is stored, MatchRecorder
  // takes the luck out again.
  int newest_season = 0;

  int player_count() const { return static_cast<int>(players.size()); }
};

// A player's rating on one ladder. Each table size (3, 4 or 5 players) has its own ladder.
struct Standing {
  PlayerId player;
  std::string display_name;
  bool bot = false;
  std::string country;  // A code of ISO 3166-1; empty if the player has chosen none.
  rating::Skill skill;  // The skill at `update_time`.
  // The number of the player's rated matches on this ladder. If it is 0, `skill` and `update_time`
  // have no meaning.
  int match_count = 0;
  // The number of the player's void matches on this ladder. `match_count` does not include them.
  int void_count = 0;
  absl::Time update_time;
};

// The effect of one rated match on one of its players. Together with the player's earlier entries,
// it is enough to rate the match again.
struct LedgerEntry {
  PlayerId player;
  bool bot = false;
  int total = 0;
  std::optional<PlayerLuck> luck;
  bool left = false;  // MatchPlayer::left
  // The skill before the match, with the growth of the variance until the match.
  rating::Skill before;
  rating::Skill after;
};

struct LedgerMatch {
  // If two matches have a common player, the match that was stored later has the higher sequence.
  // So ratings that are computed in this order equal the stored ratings.
  std::int64_t sequence = 0;
  TableId table;
  int deal_count = 0;
  absl::Time match_time;
  int season = 0;       // MatchResult::season
  bool voided = false;  // True if an operator voided the match, so that it changes no rating.
  std::vector<LedgerEntry> entries;

  int player_count() const { return static_cast<int>(entries.size()); }
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
  double variance_growth_per_season = 0;
  std::vector<absl::Time> season_changes;  // SeasonChanges() up to `now`.

  // Returns how much the variance has grown from `from` to `to`. `to` must not be after `now`.
  double Growth(absl::Time from, absl::Time to) const {
    return variance_growth_per_second * std::max(0.0, absl::ToDoubleSeconds(to - from)) +
           variance_growth_per_season * CountChanges(season_changes, from, to);
  }
};

using rating::PlaceKey;

// A line of a leaderboard.
struct Place {
  Standing standing;
  std::optional<std::int64_t> rank;  // From 1; unset for a player without a place.
  // The key by which the list is sorted. It may differ from `standing` if the player was rated
  // while the list was read.
  PlaceKey key;
};

// A query for a list of the players without a place.
struct ProvisionalQuery {
  int player_count = 0;
  PlaceRule rule;
  bool upwards = false;  // True to list from worse to better players.
  // The page begins after this key. Without it, the page begins with the best player, or with the
  // worst player if `upwards` is true.
  std::optional<PlaceKey> past;
  int limit = 0;
  std::string country;  // If not empty, only players of this country are listed.
};

struct LadderStanding {
  int player_count = 0;  // The ladder.
  Standing standing;     // The members `display_name` and `bot` are unset.
};

struct StandingChanges {
  std::vector<LadderStanding> standings;  // The present standings, in no order.
  std::int64_t cursor = 0;                // Pass it to the next read.
  // The number of the last recomputation, or 0. `standings` does not list the changes by a
  // recomputation, which may change every standing.
  std::int64_t recomputation = 0;
};

// The skill of a player before one rated match.
struct EarlierSkill {
  int player_count = 0;  // The ladder.
  PlayerId player;
  absl::Time match_time;
  // The skill, with the growth of the variance until the match. Unset if the match counts no more.
  std::optional<rating::Skill> before;
};

struct ResultPage {
  std::vector<EarlierSkill> results;  // The results of newer matches come first.
  // The lowest sequence that the page covers. It is 1 on the last page.
  std::int64_t first_sequence = 1;
};

// One line of a player's rating history.
struct RatingChange {
  std::int64_t sequence = 0;
  TableId table;
  int deal_count = 0;
  int total = 0;
  std::optional<double> luck;  // PlayerLuck::luck
  // Unset if the match counts no more, because an operator voided it.
  std::optional<rating::Skill> before;
  std::optional<rating::Skill> after;
  absl::Time match_time;
};

// A scored deal of one player, in a rated match that counts.
struct ScoredDeal {
  std::int64_t sequence = 0;  // The sequence of the match.
  int season = 0;             // MatchResult::season
  std::size_t seat = 0;       // The seat of the player.
  // DealtDeal::pack, DealtDeal::number and DealtDeal::outcome are not set.
  DealtDeal deal;
};

// A finished match of a player, rated or not.
struct PlayedMatch {
  std::int64_t sequence = 0;
  TableId table;
  int deal_count = 0;
  absl::Time match_time;
  // All players of the match, sorted by id, with their newest names.
  std::vector<MatchPlayer> players;
  bool voided = false;  // True if the match counts no more, because an operator voided it.
  // The player's skill before and after the match; unset for a casual match and a void match.
  std::optional<rating::Skill> before;
  std::optional<rating::Skill> after;
};

// A revocation of tokens, or a ban of a player. Gateways read both in one list.
struct Revocation {
  std::int64_t sequence = 0;  // Newer revocations and bans have higher numbers.
  // The id of one token. If `latest_sign_in_time` or `ban` is set, it is the id of a player.
  Uuid subject;
  // If set, the player's tokens from sign-ins at this time or earlier are revoked.
  std::optional<absl::Time> latest_sign_in_time;
  // The time when the last of the revoked tokens expires, or the end of the ban.
  absl::Time expire_time;
  // True for a ban until `expire_time`. If `expire_time` has passed, the player is not banned any
  // more.
  bool ban = false;
  std::string message;  // The text of a ban for the player.
};

// A ban of a player.
struct Ban {
  std::int64_t sequence = 0;
  PlayerId player;
  absl::Time create_time;
  absl::Time end_time;
  std::string message;

  friend bool operator==(const Ban&, const Ban&) = default;
};

// The name of every player whom an operator has deleted.
inline constexpr char kDeletedName[] = "Deleted player";

struct RevocationPage {
  // All revocations and bans up to this sequence number are in this page or in earlier ones.
  std::vector<Revocation> revocations;
  // The caller now has all revocations up to this sequence number.
  std::int64_t known_sequence = 0;
  std::int64_t last_sequence = 0;  // The sequence of the newest revocation or ban.
};

// The name of a person with a rating on a ladder. The list of names is sorted by the other fields,
// with the newest match first.
struct RankedName {
  std::string display_name;
  absl::Time update_time = absl::InfiniteFuture();  // The time of the person's last rated match.
  PlayerId player;
  int player_count = 0;  // The ladder.
};

// Standings by ladder (its number of players) and player.
using Standings = std::map<std::pair<int, PlayerId>, Standing>;

// The state that is needed to rate several matches.
struct BatchState {
  std::vector<bool> recorded;         // By match: true if the store already has the match.
  Standings standings;                // The standings of the players of all rated matches.
  std::map<int, int> newest_seasons;  // By ladder. Leaves out ladders without a season.
};

// Rates matches one after the other, beginning with `state`. The result is in the order of the
// matches. It has no value for a casual match, for a match that is recorded already, and for a
// match that must not be stored now. The function must hold copies of all that it needs, because
// the store may call it after RecordBatch() has returned.
using RateBatch = std::function<std::vector<std::optional<RatedMatch>>(
    const std::vector<MatchResult>& matches, const BatchState& state)>;

enum class Recorded {
  kNow,
  kBefore,   // The store had the match already.
  kLeftOut,  // RateBatch returned no value for a rated match.
};

// An operator's decision that matches count no more.
struct ResultVoid {
  // A void covers either the match of `table`, or all rated matches of `player` that ended at
  // `since` or later. So exactly one of `table` and `player` is set.
  std::optional<TableId> table;
  std::optional<PlayerId> player;
  absl::Time since = absl::InfinitePast();
  std::string operator_name;
  std::string reason;
};

// How many matches a void covers.
struct VoidCount {
  bool found = false;  // False if the store does not know the match or the player.
  int rated = 0;       // Rated matches that the void covers.
  int voided = 0;      // Those of the `rated` matches that were not void before.
};

// The result of a recomputation for one player of one match.
struct RecomputedResult {
  std::int64_t sequence = 0;
  PlayerId player;
  // Unset for a void match.
  std::optional<rating::Skill> before;
  std::optional<rating::Skill> after;
};

// Replaces all ratings by ratings that the caller computes from the ledger. Readers see the new
// ratings only after Finish(). If this object is destroyed before Finish(), or if the process dies,
// nothing has changed. The store still records matches until BlockRecording(). Not thread-safe.
class Recomputation {
 public:
  virtual ~Recomputation() = default;

  // Returns at most `limit` further rated matches. If two matches have a common player, the match
  // that was stored first comes first. Returns no match when it has returned all matches that are
  // stored now; a later call returns the matches that were stored since. LedgerMatch::voided
  // ignores voids that operators added after the beginning of the recomputation.
  virtual absl::StatusOr<std::vector<LedgerMatch>> ReadMatches(int limit) = 0;

  // Adds results that differ from those in the ledger. Adds each pair of a match and a player at
  // most once.
  virtual absl::Status AddResults(absl::Span<const RecomputedResult> results) = 0;

  // Sets standings of the new ratings. The first call should have nearly all players, because later
  // calls are slower.
  virtual absl::Status SetStandings(absl::Span<const LadderStanding> standings) = 0;

  // Makes all new matches wait until this object is destroyed. Returns ABORTED STORAGE_CONFLICT if
  // other statements do not end soon. Then the caller may try again.
  virtual absl::Status BlockRecording() = 0;

  // Puts the new ratings and results in the place of the old ones, in one atomic step. Call this
  // function after BlockRecording(), when ReadMatches() returns no match any more.
  virtual absl::Status Finish() = 0;
};

// The store of the ladder and of revoked tokens. Thread-safe. Every method may return UNAVAILABLE
// STORAGE_AWAY or STORAGE_SLOW. All implementations pass one contract test,
// services/ratings/testing/rating_store_contract.h.
class RatingStore {
 public:
  virtual ~RatingStore() = default;

  // Stores matches and their ratings in one atomic step. Calls `rate` with the state that all
  // matches need. This state does not change until the ratings are stored. `matches` must be of
  // different tables. Returns what became of each match. Returns ABORTED STORAGE_CONFLICT if
  // another call stored one of the matches, or a match of a new player, at the same time. Then
  // nothing is stored, and the caller tries again.
  virtual absl::StatusOr<std::vector<Recorded>> RecordBatch(const std::vector<MatchResult>& matches,
                                                            const RateBatch& rate) = 0;

  // Returns the standings on the ladder of `player_count`, in the order of `players`.
  virtual absl::StatusOr<std::vector<Standing>> GetStandings(
      int player_count, absl::Span<const PlayerId> players) = 0;

  virtual absl::StatusOr<std::vector<Standing>> ListProvisional(const ProvisionalQuery& query) = 0;

  // Returns at most `limit` standings of players with a match that counts, of all ladders, in the
  // order of player and ladder. Begins after (`player`, `player_count`). The empty player id with
  // the ladder 0 comes before all standings.
  virtual absl::StatusOr<std::vector<LadderStanding>> ListStandings(PlayerId player,
                                                                    int player_count,
                                                                    int limit) = 0;

  // Returns all standings that changed after the read that returned `cursor`, and perhaps some that
  // changed earlier. Without a cursor, returns only a cursor. Later reads from this cursor return
  // every change that is not visible now.
  virtual absl::StatusOr<StandingChanges> ReadChangedStandings(
      std::optional<std::int64_t> cursor) = 0;

  // Returns the results of the rated matches with a sequence from `before - count` to `before - 1`,
  // newest match first. Without `before`, it begins with the newest match.
  virtual absl::StatusOr<ResultPage> ListResults(std::optional<std::int64_t> before, int count) = 0;

  // Returns the player's rated matches on this ladder with a sequence below `before`, newest first.
  virtual absl::StatusOr<std::vector<RatingChange>> ListChanges(int player_count, PlayerId player,
                                                                std::int64_t before, int limit) = 0;

  // Takes the player's newest rated matches on this ladder that count and have a sequence below
  // `before`, at most `matches_max`. Returns their scored deals, beginning with the newest match. A
  // match that was stored without deals adds none.
  virtual absl::StatusOr<std::vector<ScoredDeal>> ListScoredDeals(int player_count, PlayerId player,
                                                                  std::int64_t before,
                                                                  int matches_max) = 0;

  // Returns the player's matches of all ladders with a sequence below `before`, rated or not,
  // newest first.
  virtual absl::StatusOr<std::vector<PlayedMatch>> ListMatches(PlayerId player, std::int64_t before,
                                                               int limit) = 0;

  // Stores a void, with all matches that it covers now. Stores nothing if VoidCount::voided is 0.
  // Ratings change with the next recomputation.
  virtual absl::StatusOr<VoidCount> AddVoid(const ResultVoid& added) = 0;

  // Returns ABORTED STORAGE_CONFLICT while another recomputation runs.
  virtual absl::StatusOr<std::unique_ptr<Recomputation>> BeginRecomputation() = 0;

  // Returns all seasons of all ladders, older ones first.
  virtual absl::StatusOr<std::vector<Season>> ReadSeasons() = 0;

  // Stores a new season of its ladder. Returns ABORTED STORAGE_CONFLICT if the ladder has a season
  // with this number.
  virtual absl::Status AddSeason(const Season& season) = 0;

  // Returns the number of players with a rating on any ladder.
  virtual absl::StatusOr<std::int64_t> CountPlayers() = 0;

  // Sets the player's country, or removes it if `country` is empty. Returns false if the player has
  // finished no match.
  virtual absl::StatusOr<bool> SetCountry(PlayerId player, const std::string& country) = 0;

  // Returns at most `limit` players whose name begins with `text`, sorted by name and id. Ignores
  // case and accents. Begins after the player `after`; the empty id comes before all players.
  virtual absl::StatusOr<std::vector<PlayerId>> SearchPlayers(const std::string& text,
                                                              PlayerId after, int limit) = 0;

  // Returns at most `limit` names of people with a rated match at `since` or later, newest match
  // first. If a person has such matches on two ladders, the name is listed twice. Begins after the
  // key `after`; RankedName() comes before all keys.
  virtual absl::StatusOr<std::vector<RankedName>> ListRankedNames(const RankedName& after,
                                                                  absl::Time since, int limit) = 0;

  // Stores a revocation with the next sequence. If the store already has a revocation of the same
  // subject, the new one replaces it; `latest_sign_in_time` and `expire_time` are then the later of
  // the two values. Returns false and changes nothing if the new sequence would be at least `limit`
  // above the lowest stored sequence. So the store never has more than `limit` revocations.
  virtual absl::StatusOr<bool> Revoke(const Revocation& revocation, int limit) = 0;

  // Returns at most `limit` revocations and bans with a sequence above `after`. All revocations and
  // bans that are stored later get a sequence above RevocationPage::known_sequence.
  virtual absl::StatusOr<RevocationPage> ListRevocations(std::int64_t after, int limit) = 0;

  // Removes at most `limit` revocations whose tokens expired at `now` or before. Returns how many
  // it removed.
  virtual absl::StatusOr<int> RemoveRevocations(absl::Time now, int limit) = 0;

  // Stores a ban with the next sequence, and ignores `ban.sequence`. The ban replaces an earlier
  // ban of the player.
  virtual absl::Status SetBan(const Ban& ban) = 0;

  // Returns at most `limit` bans that end after `now` and have a sequence below `before`, newest
  // first.
  virtual absl::StatusOr<std::vector<Ban>> ListBans(absl::Time now, std::int64_t before,
                                                    int limit) = 0;

  // Returns all that the store has about the player, as a JSON object.
  virtual absl::StatusOr<std::string> ExportPlayer(PlayerId player) = 0;

  // Replaces the player's name by kDeletedName, and removes the country and the account. Later
  // matches do not change this name, even if the player had no match before.
  virtual absl::Status DeletePlayer(PlayerId player, absl::Time now) = 0;
};

}  // namespace tarot::ratings_service
