#include "services/ratings/app/rating_service.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
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

// The codes of ISO 3166-1 alpha-2, in rising order, each with a space after it.
constexpr absl::string_view kCountries =
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN "
    "BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ "
    "DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL "
    "GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM "
    "JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME "
    "MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP "
    "NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD "
    "SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO "
    "TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW ";

// Returns true if `code` is one of kCountries.
bool IsCountry(absl::string_view code) {
  const std::size_t at = kCountries.find(code);
  return code.size() == 2 && at != kCountries.npos && at % 3 == 0;
}

// Page tokens are opaque to clients. A token begins with the kind of list and the ladder, so other
// lists refuse it. If you change the form of the tokens of a kind, give this kind a new letter.
// Then the list refuses old tokens.
constexpr char kBoard[] = "b";
constexpr char kChanges[] = "c";
constexpr char kMatches[] = "m";
constexpr char kSearch[] = "s";
// The number that stands for the ladder in the tokens of lists that cover all ladders.
constexpr int kAllLadders = 0;

std::string EncodeToken(absl::string_view kind, int player_count, absl::string_view first,
                        absl::string_view second) {
  return absl::WebSafeBase64Escape(absl::StrCat(kind, " ", player_count, " ", first, " ", second));
}

// Returns the arguments `first` and `second` of the EncodeToken() call that made the token. If the
// token belongs to another list, returns an empty vector.
std::vector<std::string> TokenFields(absl::string_view token, absl::string_view kind,
                                     int player_count) {
  std::string text;
  if (!absl::WebSafeBase64Unescape(token, &text)) return {};
  std::vector<std::string> fields = absl::StrSplit(text, ' ');
  if (fields.size() != 4 || fields[0] != kind || fields[1] != absl::StrCat(player_count)) return {};
  return {fields[2], fields[3]};
}

// The content of a leaderboard's page token. The next page begins after `key`. `provisional` is
// true if `key` belongs to a player without a place.
struct BoardCursor {
  bool provisional = false;
  PlaceKey key;
};

BoardCursor CursorOf(const Place& place) { return {.provisional = !place.rank, .key = place.key}; }

// Returns true if `a` comes before `b` in the list.
bool ComesBefore(const BoardCursor& a, const BoardCursor& b) {
  if (a.provisional != b.provisional) return b.provisional;
  return a.key > b.key;
}

std::string EncodeBoardToken(int player_count, const BoardCursor& cursor) {
  // The token has the bits of mu. A decimal text could round mu. Then the next page would begin too
  // early or too late.
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

// Returns the page token of a list of a player's matches. The next page has the matches with a
// sequence number below `before`.
std::string EncodeHistoryToken(absl::string_view kind, int player_count, PlayerId player,
                               std::int64_t before) {
  return EncodeToken(kind, player_count, player.ToString(), absl::StrCat(before));
}

// Returns `before` of the token. The empty token stands for the first page.
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

// The empty token stands for the first page.
absl::StatusOr<PlayerId> DecodeSearchToken(absl::string_view token) {
  if (token.empty()) return PlayerId();
  const std::vector<std::string> fields = TokenFields(token, kSearch, kAllLadders);
  const std::optional<PlayerId> player = fields.empty() ? std::nullopt : PlayerId::Parse(fields[0]);
  if (!player) return error::PageTokenInvalid();
  return *player;
}

void Append(std::vector<Place> more, std::vector<Place>& places) {
  std::move(more.begin(), more.end(), std::back_inserter(places));
}

// A leaderboard as one list. The players with a place come first. If `show_provisional` is true,
// the players without a place follow.
class Board {
 public:
  Board(RatingStore& store, Places& places, BoardName name, bool show_provisional)
      : store_(store),
        places_(places),
        name_(std::move(name)),
        show_provisional_(show_provisional) {}

  // Returns at most `limit` players that come after `past`, best first. If `past` is unset, begins
  // with the best player.
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

  // Returns at most `limit` of the players `players`, best first, beginning after `past`. Leaves
  // out players who are not on this leaderboard.
  absl::StatusOr<std::vector<Place>> Of(const std::vector<PlayerId>& players,
                                        const std::optional<BoardCursor>& past, int limit) {
    TAROT_ASSIGN_OR_RETURN(std::vector<Standing> standings,
                           store_.GetStandings(name_.player_count, players));
    std::vector<Place> places;
    for (Standing& standing : standings) {
      if (standing.match_count == 0) continue;
      const PlaceKey key{.mu = standing.skill.mu, .player = standing.player};
      const std::optional<std::int64_t> rank = places_.RankOf(name_, standing);
      if (!rank && !show_provisional_) continue;
      Place place{.standing = std::move(standing), .rank = rank, .key = key};
      if (!past || ComesBefore(*past, CursorOf(place))) places.push_back(std::move(place));
    }
    std::sort(places.begin(), places.end(),
              [](const Place& a, const Place& b) { return ComesBefore(CursorOf(a), CursorOf(b)); });
    if (static_cast<int>(places.size()) > limit) places.resize(static_cast<std::size_t>(limit));
    return places;
  }

  // Returns at most `limit` players, best first, with `player` in the middle. If the player is not
  // on this leaderboard, returns NOT_FOUND NOT_RANKED.
  absl::StatusOr<std::vector<Place>> Around(PlayerId player, int limit) {
    const std::optional<rating::Ranks::Ranked> ranked = places_.Find(name_, player);
    if (!ranked && !show_provisional_) return error::PlayerNotRanked();
    TAROT_ASSIGN_OR_RETURN(const std::vector<Standing> standings,
                           store_.GetStandings(name_.player_count, {player}));
    const Standing& standing = standings.front();
    const bool other_country = !name_.country.empty() && standing.country != name_.country;
    if (standing.match_count == 0 || other_country) return error::PlayerNotRanked();
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
  // Returns at most `limit` players that come before `past`, worst first.
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
        upwards ? places_.Above(name_, past, limit) : places_.Below(name_, past, limit);
    std::vector<PlayerId> players;
    for (const rating::Ranks::Ranked& each : ranked) players.push_back(each.key.player);
    std::vector<Place> places;
    if (players.empty()) return places;
    TAROT_ASSIGN_OR_RETURN(std::vector<Standing> standings,
                           store_.GetStandings(name_.player_count, players));
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
                           store_.ListProvisional({.player_count = name_.player_count,
                                                   .rule = places_.RuleFor(name_.player_count),
                                                   .upwards = upwards,
                                                   .past = past,
                                                   .limit = limit,
                                                   .country = name_.country}));
    std::vector<Place> places;
    for (Standing& standing : standings) {
      const PlaceKey key{.mu = standing.skill.mu, .player = standing.player};
      places.push_back({.standing = std::move(standing), .key = key});
    }
    return places;
  }

  RatingStore& store_;
  Places& places_;
  const BoardName name_;
  const bool show_provisional_;
};

// Returns the result of the player in a deal. Such results are the input of the player's rating.
double ResultOf(const ScoredDeal& played, const Seasons& seasons) {
  const DealtDeal& deal = played.deal;
  const auto season = seasons.find({static_cast<int>(deal.scores.size()), played.season});
  if (season == seasons.end() || !deal.baseline) return deal.scores[played.seat];
  const rating::DealLuck luck = rating::LuckOf(
      season->second.numbers, deal.dealer, deal.baseline->mean_scores, deal.baseline->deviation);
  return rating::ResultsOf(luck, deal.scores)[played.seat];
}

void AddDeal(const ScoredDeal& played, const Seasons& seasons, std::vector<RoleResult>& roles) {
  const std::vector<int>& stand_ins = played.deal.stand_ins;
  const auto seat = static_cast<int>(played.seat);
  if (std::find(stand_ins.begin(), stand_ins.end(), seat) != stand_ins.end()) return;
  const std::optional<std::vector<rating::Role>> of_seats = rating::RolesOf(played.deal.scores);
  if (!of_seats) return;
  const rating::Role role = (*of_seats)[played.seat];
  auto found = std::find_if(roles.begin(), roles.end(),
                            [&](const RoleResult& each) { return each.role >= role; });
  if (found == roles.end() || found->role != role) found = roles.insert(found, {.role = role});
  const int points = played.deal.scores[played.seat];
  ++found->deal_count;
  found->won_count += points > 0 ? 1 : 0;
  found->points += points;
  found->result += ResultOf(played, seasons);
}

}  // namespace

RatingService::RatingService(RatingStore& store, SeasonCache& seasons, Clock& clock,
                             Metrics& metrics, double place_deviation_max)
    : store_(store),
      clock_(clock),
      seasons_(seasons),
      places_(store, seasons, clock, place_deviation_max),
      recorder_(store, seasons, clock, metrics, [this] { places_.MarkOld(); }) {}

absl::StatusOr<RatingList> RatingService::GetRating(int player_count, PlayerId player) {
  TAROT_ASSIGN_OR_RETURN(player_count, PlayerCount(player_count));
  TAROT_RETURN_IF_ERROR(places_.Refresh());
  TAROT_ASSIGN_OR_RETURN(const std::vector<Standing> standings,
                         store_.GetStandings(player_count, {player}));
  const Standing& standing = standings.front();
  const Place place{.standing = standing, .rank = places_.RankOf({player_count}, standing)};
  return RatingList{.player_count = player_count,
                    .ratings = {Show({player_count}, seasons_.ModelNow(player_count), place)}};
}

absl::StatusOr<RatingList> RatingService::GetRatings(int player_count,
                                                     absl::Span<const PlayerId> players) {
  TAROT_ASSIGN_OR_RETURN(player_count, PlayerCount(player_count));
  if (players.size() > kBatchSizeMax) return error::TooManyPlayers();
  TAROT_ASSIGN_OR_RETURN(const std::vector<Standing> standings,
                         store_.GetStandings(player_count, players));
  RatingList list{.player_count = player_count};
  const rating::Model model = seasons_.ModelNow(player_count);
  for (const Standing& standing : standings) {
    list.ratings.push_back(Show({player_count}, model, {.standing = standing}));
  }
  return list;
}

absl::StatusOr<RatingList> RatingService::ListRatings(const ListRatingsQuery& query) {
  TAROT_ASSIGN_OR_RETURN(const int player_count, PlayerCount(query.player_count));
  TAROT_ASSIGN_OR_RETURN(const int page_size, PageSize(query.page_size));
  if (query.players.size() > kListedPlayersMax) return error::TooManyListedPlayers();
  if (query.around && !query.players.empty()) return error::AroundWithPlayers();
  if (!query.country.empty() && !IsCountry(query.country)) return error::CountryUnknown();
  if (!query.country.empty() && !query.players.empty()) return error::CountryWithPlayers();
  const BoardName name{.player_count = player_count, .country = query.country};
  TAROT_RETURN_IF_ERROR(places_.Refresh());
  Board board(store_, places_, name, query.show_provisional);
  std::vector<Place> places;
  // Reads one more place than fits on the page. This place shows whether there is a next page.
  const int limit = page_size + 1;
  std::optional<BoardCursor> past;
  if (!query.page_token.empty()) {
    TAROT_ASSIGN_OR_RETURN(past, DecodeBoardToken(query.page_token, player_count));
    if (past->provisional && !query.show_provisional) return error::PageTokenInvalid();
  }
  if (!query.players.empty()) {
    TAROT_ASSIGN_OR_RETURN(places, board.Of(query.players, past, limit));
  } else if (query.around && !past) {
    TAROT_ASSIGN_OR_RETURN(places, board.Around(*query.around, limit));
  } else {
    TAROT_ASSIGN_OR_RETURN(places, board.Below(past, limit));
  }
  RatingList list{.player_count = player_count, .total_size = places_.Count(name)};
  const std::shared_ptr<const Seasons> seasons = seasons_.Recent();
  if (const Season* const season = NewestSeason(*seasons, player_count); season != nullptr) {
    list.season = season->number;
    list.season_start_time = season->start_time;
  }
  if (static_cast<int>(places.size()) == limit) {
    places.pop_back();
    list.next_page_token = EncodeBoardToken(player_count, CursorOf(places.back()));
  }
  const rating::Model model = seasons_.ModelNow(player_count);
  for (const Place& place : places) list.ratings.push_back(Show(name, model, place));
  return list;
}

absl::StatusOr<RatingList> RatingService::SearchPlayers(const SearchQuery& query) {
  TAROT_ASSIGN_OR_RETURN(const int player_count, PlayerCount(query.player_count));
  TAROT_ASSIGN_OR_RETURN(const int page_size, PageSize(query.page_size));
  if (query.text.empty()) return error::FieldMissing("query");
  if (query.text.size() > kSearchBytesMax || query.text.find('\0') != query.text.npos) {
    return error::TextInvalid("query", kSearchBytesMax);
  }
  TAROT_ASSIGN_OR_RETURN(const PlayerId after, DecodeSearchToken(query.page_token));
  TAROT_RETURN_IF_ERROR(places_.Refresh());
  TAROT_ASSIGN_OR_RETURN(std::vector<PlayerId> found,
                         store_.SearchPlayers(query.text, after, page_size + 1));
  RatingList list{.player_count = player_count};
  if (static_cast<int>(found.size()) > page_size) {
    found.pop_back();
    list.next_page_token = EncodeToken(kSearch, kAllLadders, found.back().ToString(), "");
  }
  TAROT_ASSIGN_OR_RETURN(const std::vector<Standing> standings,
                         store_.GetStandings(player_count, found));
  const rating::Model model = seasons_.ModelNow(player_count);
  for (const Standing& standing : standings) {
    const Place place{.standing = standing, .rank = places_.RankOf({player_count}, standing)};
    list.ratings.push_back(Show({player_count}, model, place));
  }
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
  if (changes.empty()) return page;
  TAROT_ASSIGN_OR_RETURN(
      const std::vector<ScoredDeal> deals,
      store_.ListScoredDeals(player_count, query.player, changes.front().sequence + 1,
                             static_cast<int>(changes.size())));
  const std::shared_ptr<const Seasons> seasons = seasons_.Recent();
  const rating::Model model = seasons_.ModelNow(player_count);
  for (const RatingChange& change : changes) {
    ShownChange& shown = page.changes.emplace_back(ShownChange{.change = change});
    for (const ScoredDeal& deal : deals) {
      if (deal.sequence == change.sequence) AddDeal(deal, *seasons, shown.roles);
    }
    if (!change.before || !change.after) continue;
    shown.rating_before = model.ShownRating(*change.before);
    shown.rating_after = model.ShownRating(*change.after);
    shown.deviation_after = model.ShownDeviation(*change.after);
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
      const rating::Model model = seasons_.ModelNow(static_cast<int>(shown.match.players.size()));
      shown.rating_before = model.ShownRating(*shown.match.before);
      shown.rating_after = model.ShownRating(*shown.match.after);
    }
    page.matches.push_back(std::move(shown));
  }
  return page;
}

absl::StatusOr<PlayerStatistics> RatingService::GetStatistics(int player_count, PlayerId player) {
  TAROT_ASSIGN_OR_RETURN(player_count, PlayerCount(player_count));
  TAROT_ASSIGN_OR_RETURN(
      const std::vector<ScoredDeal> deals,
      store_.ListScoredDeals(player_count, player, std::numeric_limits<std::int64_t>::max(),
                             kStatisticsMatchesMax));
  const std::shared_ptr<const Seasons> seasons = seasons_.Recent();
  PlayerStatistics statistics;
  std::int64_t last = 0;
  for (const ScoredDeal& deal : deals) {
    if (std::exchange(last, deal.sequence) != deal.sequence) ++statistics.match_count;
    AddDeal(deal, *seasons, statistics.roles);
  }
  return statistics;
}

absl::Status RatingService::SetCountry(PlayerId player, const std::string& country) {
  if (!country.empty() && !IsCountry(country)) return error::CountryUnknown();
  TAROT_ASSIGN_OR_RETURN(const bool found, store_.SetCountry(player, country));
  if (!found) return error::PlayerUnknown();
  places_.MarkOld();
  return absl::OkStatus();
}

ShownRating RatingService::Show(const BoardName& board, const rating::Model& model,
                                const Place& place) {
  ShownRating shown{.standing = place.standing, .rank = place.rank};
  rating::Skill& skill = shown.standing.skill;
  const absl::Time now = clock_.Now();
  skill = place.standing.match_count == 0
              ? model.Prior()
              : model.Aged(skill, now - place.standing.update_time,
                           CountChanges(SeasonChanges(*seasons_.Recent(), board.player_count),
                                        place.standing.update_time, now));
  shown.rating = model.ShownRating(skill);
  shown.deviation = model.ShownDeviation(skill);
  if (place.standing.match_count == 0) return shown;
  // The highest tier depends on the rank, even in lists that show no ranks.
  const std::optional<std::int64_t> rank = places_.RankOf({board.player_count}, place.standing);
  shown.tier = rank && *rank <= rating::kVingtEtUnPlaces
                   ? rating::Tier::kVingtEtUn
                   : rating::TierOf(shown.rating, shown.deviation);
  // `places_` does not know the ranks of a country at the beginning of the week.
  if (!place.rank || !board.country.empty()) return shown;
  const std::optional<std::int64_t> past =
      places_.RankAtWeekStart(board.player_count, place.standing.player);
  if (past) shown.week_change = *past - *place.rank;
  return shown;
}

}  // namespace tarot::ratings_service
