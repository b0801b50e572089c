#include "services/ratings/app/rating_service.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "libs/base/clock.h"
#include "libs/base/error.h"
#include "services/ratings/app/errors.h"
#include "services/ratings/limits.h"

namespace tarot::ratings_service {
namespace {

absl::StatusOr<int> PlayerCount(int asked) {
  if (asked == 0) return kPlayerCountDefault;
  if (asked < rating::kPlayersMin || asked > rating::kPlayersMax) return error::LadderNotFound();
  return asked;
}

absl::StatusOr<int> PageSize(int asked) {
  if (asked < 0) return error::PageSizeNegative();
  return asked == 0 ? kPageSizeDefault : std::min(asked, kPageSizeMax);
}

absl::Status CheckPlayers(const MatchResult& match) {
  const std::vector<MatchPlayer>& players = match.players;
  std::set<PlayerId> seen;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < players.size(); ++i) {
    const MatchPlayer& player = players[i];
    const std::string field = absl::StrCat("players[", i, "]");
    if (player.player.empty()) return error::FieldMissing(field + ".player");
    if (!seen.insert(player.player).second) return error::PlayerTwice(field + ".player");
    if (player.display_name.size() > kDisplayNameBytesMax ||
        player.display_name.find('\0') != std::string::npos) {
      return error::DisplayNameInvalid(field + ".display_name");
    }
    sum += player.total;
  }
  // The scores of practice games do not sum to zero. Practice games are never rated.
  if (match.rated && sum != 0) return error::TotalsDoNotSumToZero();
  return absl::OkStatus();
}

// Page tokens are opaque to clients. Each token belongs to one list, because it begins with the
// kind of list and the ladder. If the form of a kind's tokens changes, the kind must get a new
// letter, so that old tokens are refused.
constexpr char kBoard[] = "b";
constexpr char kChanges[] = "c";
constexpr char kMatches[] = "m";
constexpr int kAllLadders = 0;  // The ladder in tokens of lists with all ladders.

std::string EncodeToken(absl::string_view kind, int player_count, absl::string_view first,
                        absl::string_view second) {
  return absl::WebSafeBase64Escape(absl::StrCat(kind, " ", player_count, " ", first, " ", second));
}

// Returns `first` and `second` of EncodeToken. The result is empty if the token belongs to another
// list.
std::vector<std::string> TokenFields(absl::string_view token, absl::string_view kind,
                                     int player_count) {
  std::string text;
  if (!absl::WebSafeBase64Unescape(token, &text)) return {};
  std::vector<std::string> fields = absl::StrSplit(text, ' ');
  if (fields.size() != 4 || fields[0] != kind || fields[1] != absl::StrCat(player_count)) return {};
  return {fields[2], fields[3]};
}

// The content of a leaderboard's page token. The next page begins after `key`. If `provisional` is
// true, it begins among the players without a place, otherwise among those with a place.
struct BoardCursor {
  bool provisional = false;
  PlaceKey key;
};

BoardCursor CursorOf(const Place& place) { return {.provisional = !place.rank, .key = place.key}; }

std::string EncodeBoardToken(int player_count, const BoardCursor& cursor) {
  // The token has the bits of mu. A decimal number could round mu, and then the page would begin at
  // the wrong place.
  const std::string place = absl::StrCat(cursor.provisional ? "p" : "r",
                                         absl::Hex(std::bit_cast<std::uint64_t>(cursor.key.mu)));
  return EncodeToken(kBoard, player_count, place, cursor.key.player.ToString());
}

absl::StatusOr<BoardCursor> DecodeBoardToken(absl::string_view token, int player_count) {
  const std::vector<std::string> fields = TokenFields(token, kBoard, player_count);
  if (fields.empty() || fields[0].empty()) return error::PageTokenInvalid();
  const char section = fields[0][0];
  std::uint64_t bits = 0;
  const std::optional<PlayerId> player = PlayerId::Parse(fields[1]);
  if ((section != 'p' && section != 'r') || !player ||
      !absl::SimpleHexAtoi(fields[0].substr(1), &bits)) {
    return error::PageTokenInvalid();
  }
  const double mu = std::bit_cast<double>(bits);
  if (!std::isfinite(mu)) return error::PageTokenInvalid();
  return BoardCursor{.provisional = section == 'p', .key = {.mu = mu, .player = *player}};
}

// Returns the page token of a player's history. The next page has the matches with a sequence below
// `before`.
std::string EncodeHistoryToken(absl::string_view kind, int player_count, PlayerId player,
                               std::int64_t before) {
  return EncodeToken(kind, player_count, player.ToString(), absl::StrCat(before));
}

// Returns `before` of the token. An empty token means the first page.
absl::StatusOr<std::int64_t> DecodeHistoryToken(absl::string_view token, absl::string_view kind,
                                                int player_count, PlayerId player) {
  if (token.empty()) return std::numeric_limits<std::int64_t>::max();
  const std::vector<std::string> fields = TokenFields(token, kind, player_count);
  std::int64_t before = 0;
  if (fields.empty() || fields[0] != player.ToString() || !absl::SimpleAtoi(fields[1], &before) ||
      before < 1) {
    return error::PageTokenInvalid();
  }
  return before;
}

void Append(std::vector<Place> more, std::vector<Place>& places) {
  std::move(more.begin(), more.end(), std::back_inserter(places));
}

// Returns nullptr if the ladder has no season.
const Season* NewestOf(const Seasons& seasons, int player_count) {
  const auto after = seasons.lower_bound({player_count + 1, 0});
  if (after == seasons.begin()) return nullptr;
  const Season& season = std::prev(after)->second;
  return season.numbers.player_count == player_count ? &season : nullptr;
}

// A leaderboard as one list: first the players with a place, then, if `show_provisional` is true,
// the players without a place.
class Board {
 public:
  Board(RatingStore& store, Places& places, int player_count, bool show_provisional)
      : store_(store),
        places_(places),
        player_count_(player_count),
        show_provisional_(show_provisional) {}

  // Returns at most `limit` players after `past`, best first. If `past` is unset, begins with the
  // best player.
  absl::StatusOr<std::vector<Place>> Below(const std::optional<BoardCursor>& past, int limit) {
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

  // Returns at most `limit` players, best first, with `player` in the middle. Returns NOT_FOUND
  // NOT_RANKED if the list does not contain the player.
  absl::StatusOr<std::vector<Place>> Around(PlayerId player, int limit) {
    const std::optional<rating::Ranks::Ranked> ranked = places_.Find(player_count_, player);
    if (!ranked && !show_provisional_) return error::PlayerNotRanked();
    TAROT_ASSIGN_OR_RETURN(const std::vector<Standing> standings,
                           store_.GetStandings(player_count_, {player}));
    const Standing& standing = standings.front();
    if (standing.match_count == 0) return error::PlayerNotRanked();
    Place place{.standing = standing, .key = {.mu = standing.skill.mu, .player = player}};
    if (ranked) {
      place.rank = ranked->rank;
      place.key = ranked->key;
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

 private:
  // Returns at most `limit` players before `past`, worst first.
  absl::StatusOr<std::vector<Place>> Above(const BoardCursor& past, int limit) {
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

  absl::StatusOr<std::vector<Place>> List(bool provisional, bool upwards,
                                          const std::optional<PlaceKey>& past, int limit) {
    return provisional ? ListProvisional(upwards, past, limit) : ListRanked(upwards, past, limit);
  }

  absl::StatusOr<std::vector<Place>> ListRanked(bool upwards, const std::optional<PlaceKey>& past,
                                                int limit) {
    const std::vector<rating::Ranks::Ranked> ranked =
        upwards ? places_.Above(player_count_, past, limit)
                : places_.Below(player_count_, past, limit);
    std::vector<PlayerId> players;
    for (const rating::Ranks::Ranked& each : ranked) players.push_back(each.key.player);
    std::vector<Place> places;
    if (players.empty()) return places;
    TAROT_ASSIGN_OR_RETURN(std::vector<Standing> standings,
                           store_.GetStandings(player_count_, players));
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      places.push_back(
          {.standing = std::move(standings[i]), .rank = ranked[i].rank, .key = ranked[i].key});
    }
    return places;
  }

  absl::StatusOr<std::vector<Place>> ListProvisional(bool upwards,
                                                     const std::optional<PlaceKey>& past,
                                                     int limit) {
    TAROT_ASSIGN_OR_RETURN(std::vector<Standing> standings,
                           store_.ListProvisional({.player_count = player_count_,
                                                   .rule = places_.RuleFor(player_count_),
                                                   .upwards = upwards,
                                                   .past = past,
                                                   .limit = limit}));
    std::vector<Place> places;
    for (Standing& standing : standings) {
      const PlaceKey key{.mu = standing.skill.mu, .player = standing.player};
      places.push_back({.standing = std::move(standing), .key = key});
    }
    return places;
  }

  RatingStore& store_;
  Places& places_;
  const int player_count_;
  const bool show_provisional_;
};

}  // namespace

RatingService::RatingService(RatingStore& store, Clock& clock, Metrics& metrics,
                             double place_deviation_max)
    : store_(store),
      clock_(clock),
      metrics_(metrics),
      places_(store, clock, place_deviation_max,
              [this](int player_count) { return ModelNow(player_count); }) {}

absl::Status RatingService::CheckMatch(const MatchResult& match) {
  if (match.table.empty()) return error::FieldMissing("table");
  if (match.deal_count < 1 || match.deal_count > kDealCountMax) {
    return error::DealCountOutOfRange();
  }
  if (match.player_count() < rating::kPlayersMin || match.player_count() > rating::kPlayersMax) {
    return error::MatchSizeOutOfRange();
  }
  TAROT_RETURN_IF_ERROR(CheckPlayers(match));
  if (match.match_time <= absl::UnixEpoch() || match.match_time > clock_.Now() + kClockSkewMax) {
    return error::MatchTimeOutOfRange();
  }
  if (match.deals.empty()) return absl::OkStatus();
  if (!match.rated) return error::DealsOfCasualMatch();
  std::vector<int> totals;
  for (const MatchPlayer& player : match.players) totals.push_back(player.total);
  return CheckDeals(match.rule_values, totals, match.deal_count, match.deals);
}

absl::StatusOr<bool> RatingService::RecordMatch(MatchResult match) {
  TAROT_RETURN_IF_ERROR(CheckMatch(match));
  match.match_time = absl::FromUnixMicros(absl::ToUnixMicros(match.match_time));
  match.seats.clear();
  for (const MatchPlayer& player : match.players) match.seats.push_back(player.player);
  for (std::size_t seat = 0; seat < match.players.size(); ++seat) {
    match.players[seat].left =
        !match.players[seat].bot && LeftMatch(match.deals, static_cast<int>(seat));
  }
  std::sort(match.players.begin(), match.players.end(),
            [](const MatchPlayer& a, const MatchPlayer& b) { return a.player < b.player; });
  const Stopwatch stopwatch;
  for (int attempt = 0; attempt < kRecordAttemptsMax; ++attempt) {
    const absl::StatusOr<bool> stored = RecordOnce(match);
    if (absl::IsAborted(stored.status())) continue;  // The next attempt reads newer standings.
    TAROT_RETURN_IF_ERROR(stored.status());
    if (!*stored) {
      metrics_.matches_replayed.Increment();
      return true;
    }
    metrics_.record_seconds.Observe(absl::ToDoubleSeconds(stopwatch.Elapsed()));
    metrics_.result_lag_seconds.Observe(absl::ToDoubleSeconds(clock_.Now() - match.match_time));
    return false;
  }
  return error::TooManyConflicts();
}

absl::StatusOr<bool> RatingService::RecordOnce(MatchResult& match) {
  if (!match.rated) {
    TAROT_ASSIGN_OR_RETURN(const bool stored, store_.RecordUnrated(match));
    if (stored) metrics_.matches_unrated.Increment();
    return stored;
  }
  TAROT_ASSIGN_OR_RETURN(const RatingStore::MatchState state, store_.ReadMatchState(match));
  if (state.recorded) return false;
  rating::Model model = rating::Model::ForTable(match.player_count());
  if (state.season > 0) {
    TAROT_ASSIGN_OR_RETURN(const Season season, FindSeason(match.player_count(), state.season));
    if (match.season != season.number) TakeLuckOut(season, match);
    if (match.season == season.number) model = season.model();
  }
  const RatedMatch rated = RateMatch(match, state.standings, model);
  TAROT_ASSIGN_OR_RETURN(const bool stored, store_.Record(match, rated));
  if (stored) {
    places_.MarkOld();
    metrics_.matches_rated.Increment();
    metrics_.ObserveSurprises(rated.surprises);
  }
  return stored;
}

absl::StatusOr<RatingList> RatingService::GetRating(int player_count, PlayerId player) {
  TAROT_ASSIGN_OR_RETURN(player_count, PlayerCount(player_count));
  TAROT_RETURN_IF_ERROR(places_.Refresh());
  TAROT_ASSIGN_OR_RETURN(const std::vector<Standing> standings,
                         store_.GetStandings(player_count, {player}));
  const Standing& standing = standings.front();
  const Place place{.standing = standing, .rank = places_.RankOf(player_count, standing)};
  return RatingList{.player_count = player_count, .ratings = {Show(ModelNow(player_count), place)}};
}

absl::StatusOr<RatingList> RatingService::GetRatings(int player_count,
                                                     absl::Span<const PlayerId> players) {
  TAROT_ASSIGN_OR_RETURN(player_count, PlayerCount(player_count));
  if (players.size() > kBatchSizeMax) return error::TooManyPlayers();
  TAROT_ASSIGN_OR_RETURN(const std::vector<Standing> standings,
                         store_.GetStandings(player_count, players));
  RatingList list{.player_count = player_count};
  const rating::Model model = ModelNow(player_count);
  for (const Standing& standing : standings) {
    list.ratings.push_back(Show(model, {.standing = standing}));
  }
  return list;
}

absl::StatusOr<RatingList> RatingService::ListRatings(const ListRatingsQuery& query) {
  TAROT_ASSIGN_OR_RETURN(const int player_count, PlayerCount(query.player_count));
  TAROT_ASSIGN_OR_RETURN(const int page_size, PageSize(query.page_size));
  TAROT_RETURN_IF_ERROR(places_.Refresh());
  Board board(store_, places_, player_count, query.show_provisional);
  std::vector<Place> places;
  const int limit = page_size + 1;  // One more row shows whether there is a next page.
  if (!query.page_token.empty()) {
    TAROT_ASSIGN_OR_RETURN(const BoardCursor past,
                           DecodeBoardToken(query.page_token, player_count));
    if (past.provisional && !query.show_provisional) return error::PageTokenInvalid();
    TAROT_ASSIGN_OR_RETURN(places, board.Below(past, limit));
  } else if (query.around) {
    TAROT_ASSIGN_OR_RETURN(places, board.Around(*query.around, limit));
  } else {
    TAROT_ASSIGN_OR_RETURN(places, board.Below(std::nullopt, limit));
  }
  RatingList list{.player_count = player_count};
  if (static_cast<int>(places.size()) == limit) {
    places.pop_back();
    list.next_page_token = EncodeBoardToken(player_count, CursorOf(places.back()));
  }
  const rating::Model model = ModelNow(player_count);
  for (const Place& place : places) list.ratings.push_back(Show(model, place));
  return list;
}

absl::StatusOr<ChangePage> RatingService::ListChanges(const ListChangesQuery& query) {
  TAROT_ASSIGN_OR_RETURN(const int player_count, PlayerCount(query.player_count));
  TAROT_ASSIGN_OR_RETURN(const int page_size, PageSize(query.page_size));
  TAROT_ASSIGN_OR_RETURN(const std::int64_t before, DecodeHistoryToken(query.page_token, kChanges,
                                                                       player_count, query.player));
  TAROT_ASSIGN_OR_RETURN(std::vector<RatingChange> changes,
                         store_.ListChanges(player_count, query.player, before, page_size + 1));
  ChangePage page;
  if (static_cast<int>(changes.size()) > page_size) {
    changes.pop_back();
    page.next_page_token =
        EncodeHistoryToken(kChanges, player_count, query.player, changes.back().sequence);
  }
  const rating::Model model = ModelNow(player_count);
  for (const RatingChange& change : changes) {
    page.changes.push_back({.change = change,
                            .rating_before = model.ShownRating(change.before),
                            .rating_after = model.ShownRating(change.after),
                            .deviation_after = model.ShownDeviation(change.after)});
  }
  return page;
}

absl::StatusOr<MatchPage> RatingService::ListMatches(const ListMatchesQuery& query) {
  TAROT_ASSIGN_OR_RETURN(const int page_size, PageSize(query.page_size));
  TAROT_ASSIGN_OR_RETURN(const std::int64_t before,
                         DecodeHistoryToken(query.page_token, kMatches, kAllLadders, query.player));
  TAROT_ASSIGN_OR_RETURN(std::vector<PlayedMatch> matches,
                         store_.ListMatches(query.player, before, page_size + 1));
  MatchPage page;
  if (static_cast<int>(matches.size()) > page_size) {
    matches.pop_back();
    page.next_page_token =
        EncodeHistoryToken(kMatches, kAllLadders, query.player, matches.back().sequence);
  }
  for (PlayedMatch& match : matches) {
    ShownMatch shown{.match = std::move(match)};
    if (shown.match.before && shown.match.after) {
      const rating::Model model = ModelNow(static_cast<int>(shown.match.players.size()));
      shown.rating_before = model.ShownRating(*shown.match.before);
      shown.rating_after = model.ShownRating(*shown.match.after);
    }
    page.matches.push_back(std::move(shown));
  }
  return page;
}

absl::StatusOr<std::vector<std::string>> RatingService::StartSeasons(std::vector<Season> seasons) {
  std::set<int> ladders;
  for (std::size_t i = 0; i < seasons.size(); ++i) {
    const std::string path = absl::StrCat("ladders[", i, "].");
    TAROT_RETURN_IF_ERROR(CheckSeason(seasons[i], path));
    if (!ladders.insert(seasons[i].numbers.player_count).second) {
      return error::LadderTwice(path + "player_count");
    }
  }
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<const Seasons> known, ReadSeasons());
  std::vector<std::string> changes;
  for (Season& season : seasons) {
    const int player_count = season.numbers.player_count;
    const Season* const newest = NewestOf(*known, player_count);
    if (newest != nullptr && SameNumbers(*newest, season)) continue;
    season.number = newest == nullptr ? 1 : newest->number + 1;
    const absl::Status added = store_.AddSeason(season);
    if (absl::IsAborted(added)) return error::SeasonStartedMeanwhile();
    TAROT_RETURN_IF_ERROR(added);
    changes.push_back(absl::StrCat("ladder of ", player_count, " players: season ", season.number,
                                   " begins, ", season.provenance));
  }
  TAROT_RETURN_IF_ERROR(ReadSeasons().status());
  return changes;
}

absl::StatusOr<std::shared_ptr<const Seasons>> RatingService::ReadSeasons() {
  TAROT_ASSIGN_OR_RETURN(std::vector<Season> read, store_.ReadSeasons());
  auto seasons = std::make_shared<Seasons>();
  for (Season& season : read) {
    const std::pair key(season.numbers.player_count, season.number);
    (*seasons)[key] = std::move(season);
  }
  const std::lock_guard lock(mutex_);
  seasons_time_ = clock_.Now();
  // A read that began earlier may end later. Seasons are never removed.
  if (seasons->size() >= seasons_->size()) seasons_ = seasons;
  return seasons;
}

std::shared_ptr<const Seasons> RatingService::KnownSeasons() {
  const std::lock_guard lock(mutex_);
  return seasons_;
}

absl::StatusOr<Season> RatingService::FindSeason(int player_count, int number) {
  const std::pair key(player_count, number);
  std::shared_ptr<const Seasons> seasons = KnownSeasons();
  if (!seasons->contains(key)) {
    TAROT_ASSIGN_OR_RETURN(seasons, ReadSeasons());
  }
  const auto found = seasons->find(key);
  if (found == seasons->end()) return error::SeasonLost();
  return found->second;
}

rating::Model RatingService::ModelNow(int player_count) {
  bool old = false;
  {
    const std::lock_guard lock(mutex_);
    old = seasons_time_ + kSeasonsKept < clock_.Now();
  }
  if (old) (void)ReadSeasons();  // After a failure, the seasons that are known go on.
  const std::shared_ptr<const Seasons> seasons = KnownSeasons();
  const Season* const newest = NewestOf(*seasons, player_count);
  return newest == nullptr ? rating::Model::ForTable(player_count) : newest->model();
}

ShownRating RatingService::Show(const rating::Model& model, const Place& place) {
  ShownRating shown{.standing = place.standing, .rank = place.rank};
  rating::Skill& skill = shown.standing.skill;
  skill = place.standing.match_count == 0
              ? model.Prior()
              : model.Aged(skill, clock_.Now() - place.standing.update_time);
  shown.rating = model.ShownRating(skill);
  shown.deviation = model.ShownDeviation(skill);
  return shown;
}

namespace {

MatchResult ResultOf(const LedgerMatch& match) {
  MatchResult result{.table = match.table,
                     .deal_count = match.deal_count,
                     .match_time = match.match_time,
                     .season = match.season};
  for (const LedgerEntry& entry : match.entries) {
    result.players.push_back({.player = entry.player,
                              .bot = entry.bot,
                              .total = entry.total,
                              .luck = entry.luck,
                              .left = entry.left});
  }
  return result;
}

// Returns the player's standing after the match at `match_time` with the ledger entry `entry`.
Standing After(const Standing& before, const LedgerEntry& entry, absl::Time match_time) {
  Standing after = before;
  after.skill = entry.after;
  after.match_count = before.match_count + 1;
  // A result may arrive after the result of a newer match. `update_time` never goes back, because
  // the same absence must not increase the variance twice.
  after.update_time =
      before.match_count == 0 ? match_time : std::max(before.update_time, match_time);
  return after;
}

absl::Status Fold(const LedgerMatch& match, const Seasons& seasons, Standings& standings) {
  const MatchResult result = ResultOf(match);
  rating::Model model = rating::Model::ForTable(result.player_count());
  if (match.season > 0) {
    const auto season = seasons.find({result.player_count(), match.season});
    if (season == seasons.end()) return error::SeasonLost();
    model = season->second.model();
  }
  std::vector<Standing> before;
  for (const MatchPlayer& player : result.players) {
    Standing& standing = standings[{result.player_count(), player.player}];
    standing.player = player.player;
    standing.bot = player.bot;
    before.push_back(standing);
  }
  for (const Standing& after : RateMatch(result, before, model).after) {
    standings[{result.player_count(), after.player}] = after;
  }
  return absl::OkStatus();
}

}  // namespace

RatedMatch RateMatch(const MatchResult& match, absl::Span<const Standing> standings,
                     const rating::Model& model) {
  std::vector<rating::Entrant> entrants;
  for (std::size_t i = 0; i < standings.size(); ++i) {
    const Standing& standing = standings[i];
    const MatchPlayer& player = match.players[i];
    entrants.push_back(
        {.skill = standing.match_count == 0
                      ? model.Prior()
                      : model.Aged(standing.skill, match.match_time - standing.update_time),
         .points_per_deal = player.luck ? player.luck->result
                                        : static_cast<double>(player.total) / match.deal_count,
         .bot = player.bot,
         .left = player.left});
  }
  const std::vector<rating::Skill> after = rating::Rate(model, entrants, match.deal_count);
  RatedMatch rated{.surprises = rating::Surprises(model, entrants, match.deal_count)};
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    rated.entries.push_back({.player = match.players[i].player,
                             .bot = match.players[i].bot,
                             .total = match.players[i].total,
                             .luck = match.players[i].luck,
                             .left = match.players[i].left,
                             .before = entrants[i].skill,
                             .after = after[i]});
    rated.after.push_back(After(standings[i], rated.entries[i], match.match_time));
  }
  return rated;
}

absl::StatusOr<Standings> Recompute(RatingStore& store) {
  Standings standings;
  TAROT_ASSIGN_OR_RETURN(const std::vector<Season> read, store.ReadSeasons());
  Seasons seasons;
  for (const Season& season : read) seasons[{season.numbers.player_count, season.number}] = season;
  for (std::int64_t after = 0;;) {
    TAROT_ASSIGN_OR_RETURN(const std::vector<LedgerMatch> matches,
                           store.ReadLedger(after, kMatchesPerRead));
    if (matches.empty()) return standings;
    for (const LedgerMatch& match : matches) {
      TAROT_RETURN_IF_ERROR(Fold(match, seasons, standings));
    }
    after = matches.back().sequence;
  }
}

}  // namespace tarot::ratings_service
