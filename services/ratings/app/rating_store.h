// Declares the data of the ladder, and the interface of its store.
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
#include "libs/base/gateway_limits.h"
#include "libs/base/ids.h"
#include "libs/rating/ranks.h"
#include "libs/rating/rating.h"
#include "services/ratings/app/dealt_deals.h"
#include "services/ratings/app/season.h"

namespace tarot::ratings_service {

// The luck of a player in one match (docs/luck.md).
struct PlayerLuck {
  // The points that come from luck, and that the ladder subtracts: the sum of DealLuck::points over
  // the deals.
  double luck = 0;
  // The weighted result per scored deal. The rating of the match uses this result.
  double result = 0;
};

struct MatchPlayer {
  PlayerId player;
  std::string display_name;
  bool bot = false;
  int total = 0;  // The sum of the scores of all deals.
  // The player's luck. It is unset if the match is rated without a correction for luck.
  std::optional<PlayerLuck> luck;
  // True if a bot acted for this person in at least half of the deals. MatchRecorder sets this
  // member.
  bool left = false;
};

// A finished match in the form that the rules service sends.
struct MatchResult {
  TableId table;
  int deal_count = 0;
  // The caller gives the players in the order of their seats. MatchRecorder sorts them by id.
  // Because of this order, each computation adds the floating-point numbers in the same order and
  // gives the same result.
  std::vector<MatchPlayer> players;
  absl::Time match_time;  // The time, in whole microseconds, as Postgres stores it.
  bool rated = true;      // False for a casual match, which changes no rating.
  // `rule_values` is the result of rules::EncodeRuleSet() for the rule set. MatchRecorder sets
  // `seats`, which has the players in the order of their seats. `deals` has the deals of a rated
  // match, and may be empty.
  std::string rule_values;
  std::vector<PlayerId> seats;
  std::vector<DealtDeal> deals;
  // The season whose numbers were used to compute the luck. It is 0 if the luck was not computed.
  // TakeLuckOut() sets it.
  int season = 0;
  // The number of the ladder's newest season when MatchRecorder computed the luck of this match. It
  // is 0 if MatchRecorder knew no season. If the ladder has a newer season when the match is
  // stored, MatchRecorder computes the luck again.
  int newest_season = 0;

  int player_count() const { return static_cast<int>(players.size()); }
};

// A player's rating on one ladder. Each table size (3, 4 or 5 players) has its own ladder.
struct Standing {
  PlayerId player;
  std::string display_name;
  bool bot = false;
  std::string country;  // A code of ISO 3166-1. It is empty if the player has chosen no country.
  rating::Skill skill;  // The skill at `update_time`.
  // The number of the player's rated matches on this ladder. If it is 0, `skill` and `update_time`
  // have no meaning.
  int match_count = 0;
  // The number of the player's void matches on this ladder. `match_count` does not include them.
  int void_count = 0;
  absl::Time update_time;
};

// The effect of one rated match on one of its players. This entry and the player's earlier entries
// are enough to rate the match again.
struct LedgerEntry {
  PlayerId player;
  bool bot = false;
  int total = 0;
  std::optional<PlayerLuck> luck;
  bool left = false;  // MatchPlayer::left
  // The skill just before the match, with the variance that has grown until then.
  rating::Skill before;
  rating::Skill after;
};

struct LedgerMatch {
  // The sequence number of the match. If two matches have a common player, the match that was
  // stored later has the higher number. So ratings that are computed in the order of these numbers
  // equal the stored ratings.
  std::int64_t sequence = 0;
  TableId table;
  int deal_count = 0;
  absl::Time match_time;
  int season = 0;       // MatchResult::season
  bool voided = false;  // True if an operator has voided the match. Such a match changes no rating.
  std::vector<LedgerEntry> entries;

  int player_count() const { return static_cast<int>(entries.size()); }
};

// The result of rating a match. `entries` and `after` are in the order of the match's players.
struct RatedMatch {
  std::vector<LedgerEntry> entries;
  std::vector<Standing> after;
  std::vector<double> surprises;  // See rating::Surprises.
};

// The rule that says which players have a place on the leaderboard. The variance of a player's
// skill grows until `now`. If it is then at most `variance_max`, the player has a place.
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
  // Ranks begin at 1. The rank is unset for a player without a place.
  std::optional<std::int64_t> rank;
  // The list is sorted by this key. If the player was rated while the list was read, the key may
  // differ from `standing`.
  PlaceKey key;
};

// A query for a list of the players without a place.
struct ProvisionalQuery {
  int player_count = 0;
  PlaceRule rule;
  bool upwards = false;  // True if the list goes from worse to better players.
  // The page begins after this key. If the key is unset, the page begins with the best player, or
  // with the worst player if `upwards` is true.
  std::optional<PlaceKey> past;
  int limit = 0;
  std::string country;  // If this member is not empty, the list has only players of this country.
};

struct LadderStanding {
  int player_count = 0;  // The ladder.
  Standing standing;     // The members `display_name` and `bot` are unset.
};

struct StandingChanges {
  std::vector<LadderStanding> standings;  // The present standings, in any order.
  std::int64_t cursor = 0;                // The caller passes this cursor to the next read.
  // The number of the last recomputation, or 0 if there was none. A recomputation may change every
  // standing, and `standings` does not list these changes.
  std::int64_t recomputation = 0;
};

// The skill of a player before one rated match.
struct EarlierSkill {
  int player_count = 0;  // The ladder.
  PlayerId player;
  absl::Time match_time;
  // The skill just before the match, with the variance that has grown until then. Unset if the
  // match counts no more.
  std::optional<rating::Skill> before;
};

struct ResultPage {
  std::vector<EarlierSkill> results;  // The results of newer matches come first.
  // The lowest sequence number that the page covers. It is 1 on the last page.
  std::int64_t first_sequence = 1;
};

// One line of a player's rating history.
struct RatingChange {
  std::int64_t sequence = 0;
  TableId table;
  int deal_count = 0;
  int total = 0;
  std::optional<double> luck;  // PlayerLuck::luck
  // Unset if the match counts no more, because an operator has voided it.
  std::optional<rating::Skill> before;
  std::optional<rating::Skill> after;
  absl::Time match_time;
};

// A scored deal of one player, in a rated match that counts.
struct ScoredDeal {
  std::int64_t sequence = 0;  // The sequence number of the match.
  int season = 0;             // MatchResult::season
  std::size_t seat = 0;       // The seat of the player.
  // DealtDeal::pack, DealtDeal::number and DealtDeal::outcome are not set.
  DealtDeal deal;
};

// A finished match of a player. The match may be rated or casual.
struct PlayedMatch {
  std::int64_t sequence = 0;
  TableId table;
  int deal_count = 0;
  absl::Time match_time;
  // All players of the match, sorted by id, with their newest names.
  std::vector<MatchPlayer> players;
  bool voided = false;  // True if the match counts no more, because an operator has voided it.
  // The player's skill before and after the match. Both are unset for a casual match and for a void
  // match.
  std::optional<rating::Skill> before;
  std::optional<rating::Skill> after;
};

// A revocation of tokens, or a ban of a player. Gateways read both in one list.
struct Revocation {
  std::int64_t sequence = 0;  // Newer revocations and bans have higher numbers.
  // The id of the subject. If `latest_sign_in_time` or `ban` is set, the subject is a player. If
  // not, the subject is one token.
  Uuid subject;
  // If this time is set, the player's tokens from sign-ins at this time or earlier are revoked.
  std::optional<absl::Time> latest_sign_in_time;
  // The time when the last of the revoked tokens expires, or the end of the ban.
  absl::Time expire_time;
  // True for a ban, which lasts until `expire_time`. When `expire_time` has passed, the player is
  // not banned any more.
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

// The name that replaces the name of each player whom an operator has deleted.
inline constexpr char kDeletedName[] = "Deleted player";

struct RevocationPage {
  // This page and the earlier pages contain all revocations and bans up to this sequence number.
  std::vector<Revocation> revocations;
  // The caller now has all revocations and bans up to this sequence number.
  std::int64_t known_sequence = 0;
  std::int64_t last_sequence = 0;  // The sequence number of the newest revocation or ban.
};

// The name of a person with a rating on a ladder. The list of names is sorted by the other fields,
// with the newest match first.
struct RankedName {
  std::string display_name;
  absl::Time update_time = absl::InfiniteFuture();  // The time of the person's last rated match.
  PlayerId player;
  int player_count = 0;  // The ladder.
};

// The key is the ladder (its number of players) and the player.
using Standings = std::map<std::pair<int, PlayerId>, Standing>;

// The state that is needed to rate several matches.
struct BatchState {
  // The key is a match. The value is true if the store already has this match.
  std::vector<bool> recorded;
  Standings standings;  // The standings of the players of all rated matches.
  // The newest season of each ladder. A ladder without a season is missing.
  std::map<int, int> newest_seasons;
};

// Rates matches one after another, beginning with `state`. The result is in the order of the
// matches. The result for a match has no value if the match is casual, is recorded already, or must
// not be stored now. The function must hold copies of all data that it needs, because the store may
// call it after RecordBatch() has returned.
using RateBatch = std::function<std::vector<std::optional<RatedMatch>>(
    const std::vector<MatchResult>& matches, const BatchState& state)>;

enum class Recorded {
  kNow,
  kBefore,   // The store already had the match.
  kLeftOut,  // RateBatch returned no value, although the match is rated.
};

// An operator's decision that some matches count no more.
struct ResultVoid {
  // The decision covers either the match of `table`, or all rated matches of `player` that ended
  // at `since` or later. So exactly one of `table` and `player` is set.
  std::optional<TableId> table;
  std::optional<PlayerId> player;
  absl::Time since = absl::InfinitePast();
  std::string operator_name;
  std::string reason;
};

// How many matches a ResultVoid covers.
struct VoidCount {
  bool found = false;  // False if the store does not know the match or the player.
  int rated = 0;       // The number of rated matches that the operator's decision covers.
  int voided = 0;      // The number of the covered matches that were not void before.
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
// ratings only after Finish(). If this object is destroyed before Finish(), or if the process dies
// before it, nothing changes. Until BlockRecording(), the store still records matches. Not
// thread-safe.
class Recomputation {
 public:
  virtual ~Recomputation() = default;

  // Returns at most `limit` further rated matches. If two matches have a common player, the match
  // that was stored first comes first. When it has returned all matches that are stored now,
  // returns no match. A later call returns the matches that were stored since then.
  // LedgerMatch::voided ignores decisions of operators that were stored after the beginning of the
  // recomputation.
  virtual absl::StatusOr<std::vector<LedgerMatch>> ReadMatches(int limit) = 0;

  // Adds results that differ from those in the ledger. For one player in one match, a result may be
  // added only once.
  virtual absl::Status AddResults(absl::Span<const RecomputedResult> results) = 0;

  // Sets standings of the new ratings. The first call should have nearly all players, because later
  // calls are slower.
  virtual absl::Status SetStandings(absl::Span<const LadderStanding> standings) = 0;

  // Makes all new matches wait until this object is destroyed. If other statements do not end soon,
  // returns ABORTED STORAGE_CONFLICT. Then the caller may try again.
  virtual absl::Status BlockRecording() = 0;

  // Replaces the old ratings and results by the new ratings and results, in one atomic step. Call
  // this function after BlockRecording(), when ReadMatches() returns no match any more.
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
  // different tables. Returns for each match whether it was stored, and how it was rated. If
  // another call stored one of the matches at the same time, or a match of the same new player,
  // returns ABORTED STORAGE_CONFLICT. Then nothing is stored, and the caller tries again.
  virtual absl::StatusOr<std::vector<Recorded>> RecordBatch(const std::vector<MatchResult>& matches,
                                                            const RateBatch& rate) = 0;

  // Returns the standings on the ladder of `player_count`, in the order of `players`.
  virtual absl::StatusOr<std::vector<Standing>> GetStandings(
      int player_count, absl::Span<const PlayerId> players) = 0;

  virtual absl::StatusOr<std::vector<Standing>> ListProvisional(const ProvisionalQuery& query) = 0;

  // Returns at most `limit` standings of players with a match that counts. The standings are of all
  // ladders, sorted by player and then by ladder. Begins after (`player`, `player_count`). The
  // empty player id with the ladder 0 comes before all standings.
  virtual absl::StatusOr<std::vector<LadderStanding>> ListStandings(PlayerId player,
                                                                    int player_count,
                                                                    int limit) = 0;

  // Returns all standings that have changed after the read that returned `cursor`, and perhaps some
  // that changed earlier. If there is no cursor, returns only a new cursor. A change may be stored
  // but not visible yet; later reads with this cursor return every such change.
  virtual absl::StatusOr<StandingChanges> ReadChangedStandings(
      std::optional<std::int64_t> cursor) = 0;

  // Returns the results of the rated matches with a sequence number from `before - count` to
  // `before - 1`, newest match first. If `before` is unset, begins with the newest match.
  virtual absl::StatusOr<ResultPage> ListResults(std::optional<std::int64_t> before, int count) = 0;

  // Returns the player's rated matches on this ladder with a sequence number below `before`, newest
  // first.
  virtual absl::StatusOr<std::vector<RatingChange>> ListChanges(int player_count, PlayerId player,
                                                                std::int64_t before, int limit) = 0;

  // Returns scored deals of the player, beginning with the newest match. The deals come from at
  // most `matches_max` rated matches on this ladder. These are the newest matches that count and
  // have a sequence number below `before`. A match that was stored without deals adds no deals.
  virtual absl::StatusOr<std::vector<ScoredDeal>> ListScoredDeals(int player_count, PlayerId player,
                                                                  std::int64_t before,
                                                                  int matches_max) = 0;

  // Returns the player's matches of all ladders with a sequence number below `before`, newest
  // first. The matches may be rated or casual.
  virtual absl::StatusOr<std::vector<PlayedMatch>> ListMatches(PlayerId player, std::int64_t before,
                                                               int limit) = 0;

  // Stores an operator's decision, with all matches that it covers now. If VoidCount::voided is 0,
  // stores nothing. Ratings change with the next recomputation.
  virtual absl::StatusOr<VoidCount> AddVoid(const ResultVoid& added) = 0;

  // Begins a recomputation. While another recomputation runs, returns ABORTED STORAGE_CONFLICT.
  virtual absl::StatusOr<std::unique_ptr<Recomputation>> BeginRecomputation() = 0;

  // Returns all seasons of all ladders, the oldest season first.
  virtual absl::StatusOr<std::vector<Season>> ReadSeasons() = 0;

  // Stores a new season of its ladder. If the ladder has a season with this number, returns ABORTED
  // STORAGE_CONFLICT.
  virtual absl::Status AddSeason(const Season& season) = 0;

  // Returns the number of players with a rating on any ladder.
  virtual absl::StatusOr<std::int64_t> CountPlayers() = 0;

  // Sets the player's country. If `country` is empty, removes the player's country. If the player
  // has finished no match, returns false.
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

  // Stores a revocation with the next sequence number. If the store already has a revocation of the
  // same subject, the new revocation replaces it. Then `latest_sign_in_time` and `expire_time`
  // become the later of the old and the new value. If the new sequence number would be at least
  // `limit` above the lowest stored one, changes nothing and returns false. So the store never has
  // more than `limit` revocations.
  virtual absl::StatusOr<bool> Revoke(const Revocation& revocation, int limit) = 0;

  // Returns at most `limit` revocations and bans with a sequence number above `after`. Each
  // revocation and each ban that is stored later gets a number above
  // RevocationPage::known_sequence.
  virtual absl::StatusOr<RevocationPage> ListRevocations(std::int64_t after, int limit) = 0;

  // Removes at most `limit` revocations whose tokens expired at `now` or before. Returns the number
  // of removed revocations.
  virtual absl::StatusOr<int> RemoveRevocations(absl::Time now, int limit) = 0;

  // Stores a ban with the next sequence number, and ignores `ban.sequence`. The ban replaces an
  // earlier ban of the player.
  virtual absl::Status SetBan(const Ban& ban) = 0;

  // Returns at most `limit` bans that end after `now` and have a sequence number below `before`,
  // newest first.
  virtual absl::StatusOr<std::vector<Ban>> ListBans(absl::Time now, std::int64_t before,
                                                    int limit) = 0;

  // Returns the limits of gateways that SetGatewayLimits() has stored.
  virtual absl::StatusOr<LimitValues> GatewayLimits() = 0;

  // Stores the limits `set`, and removes the limits of the names `reset`, in one step.
  virtual absl::Status SetGatewayLimits(const LimitValues& set,
                                        const std::vector<std::string>& reset) = 0;

  // Returns all data that the store has about the player, as a JSON object.
  virtual absl::StatusOr<std::string> ExportPlayer(PlayerId player) = 0;

  // Replaces the player's name by kDeletedName, and removes the country and the account. Later
  // matches do not change this name. This is also true if the player had no match before.
  virtual absl::Status DeletePlayer(PlayerId player, absl::Time now) = 0;
};

}  // namespace tarot::ratings_service
