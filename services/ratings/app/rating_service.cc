#include "services/ratings/app/rating_service.h"

#include <algorithm>
#include <limits>
#include <set>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/base/stopwatch.h"
#include "libs/rating/rating.h"
#include "services/ratings/app/board.h"
#include "services/ratings/app/ledger.h"
#include "services/ratings/app/page_token.h"

namespace tarot::ratings {
namespace {

constexpr int kPlayerCountDefault = 4;
constexpr int kDealCountMax = 1000;
constexpr std::size_t kDisplayNameBytesMax = 256;
constexpr absl::Duration kClockSkewMax = absl::Minutes(5);

absl::StatusOr<int> PlayerCount(int asked) {
  if (asked == 0) return kPlayerCountDefault;
  if (asked < rating::kPlayersMin || asked > rating::kPlayersMax) {
    return BadRequest("player_count", "must be 3, 4 or 5");
  }
  return asked;
}

absl::StatusOr<int> PageSize(int asked) {
  if (asked < 0) return BadRequest("page_size", "must not be negative");
  return asked == 0 ? kPageSizeDefault : std::min(asked, kPageSizeMax);
}

absl::Status CheckPlayers(const std::vector<MatchPlayer>& players) {
  std::set<PlayerId> seen;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < players.size(); ++i) {
    const MatchPlayer& player = players[i];
    const std::string field = absl::StrCat("players[", i, "]");
    if (player.player.empty()) return BadRequest(field + ".player", "must not be empty");
    if (!seen.insert(player.player).second) return BadRequest(field + ".player", "comes twice");
    if (player.display_name.size() > kDisplayNameBytesMax ||
        player.display_name.find('\0') != std::string::npos) {
      return BadRequest(field + ".display_name", "must be at most 256 bytes, none of them zero");
    }
    sum += player.total;
  }
  if (sum != 0) return BadRequest("players", "totals must sum to zero");
  return absl::OkStatus();
}

}  // namespace

RatingService::RatingService(RatingStore& store, Clock& clock, Metrics& metrics,
                             double place_deviation_max)
    : store_(store), clock_(clock), metrics_(metrics), place_deviation_max_(place_deviation_max) {}

absl::Status RatingService::CheckMatch(const MatchResult& match) {
  if (match.table.empty()) return BadRequest("table", "must not be empty");
  if (match.deal_count < 1 || match.deal_count > kDealCountMax) {
    return BadRequest("deal_count", "must be from 1 to 1000");
  }
  if (match.player_count() < rating::kPlayersMin || match.player_count() > rating::kPlayersMax) {
    return BadRequest("players", "must be 3 to 5");
  }
  TAROT_RETURN_IF_ERROR(CheckPlayers(match.players));
  if (match.match_time <= absl::UnixEpoch() || match.match_time > clock_.Now() + kClockSkewMax) {
    return BadRequest("match_time", "must be a time in the past");
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> RatingService::RecordMatch(MatchResult match) {
  TAROT_RETURN_IF_ERROR(CheckMatch(match));
  match.match_time = absl::FromUnixMicros(absl::ToUnixMicros(match.match_time));
  std::sort(match.players.begin(), match.players.end(),
            [](const MatchPlayer& a, const MatchPlayer& b) { return a.player < b.player; });
  const Stopwatch stopwatch;
  std::vector<double> surprises;
  const auto rate = [&](const std::vector<Standing>& standings) {
    RatedMatch rated = RateMatch(match, standings);
    surprises = std::move(rated.surprises);
    return std::move(rated.entries);
  };
  TAROT_ASSIGN_OR_RETURN(const RatingStore::Recorded recorded, store_.Record(match, rate));
  if (recorded.replayed) {
    metrics_.matches_replayed.Increment();
    return true;
  }
  metrics_.matches_rated.Increment();
  metrics_.players.Increment(recorded.new_player_count);
  metrics_.record_seconds.Observe(absl::ToDoubleSeconds(stopwatch.Elapsed()));
  metrics_.result_lag_seconds.Observe(absl::ToDoubleSeconds(clock_.Now() - match.match_time));
  metrics_.ObserveSurprises(surprises);
  return false;
}

absl::StatusOr<RatingList> RatingService::GetRatings(int player_count,
                                                     absl::Span<const PlayerId> players) {
  TAROT_ASSIGN_OR_RETURN(player_count, PlayerCount(player_count));
  if (players.size() > kBatchSizeMax) return BadRequest("players", "must be at most 200");
  TAROT_ASSIGN_OR_RETURN(const std::vector<Place> places,
                         store_.GetPlaces(player_count, RuleFor(player_count), players));
  RatingList list{.player_count = player_count};
  for (const Place& place : places) list.ratings.push_back(Show(player_count, place));
  return list;
}

absl::StatusOr<RatingList> RatingService::ListRatings(const ListRatingsQuery& query) {
  TAROT_ASSIGN_OR_RETURN(const int player_count, PlayerCount(query.player_count));
  TAROT_ASSIGN_OR_RETURN(const int page_size, PageSize(query.page_size));
  Board board(store_, player_count, RuleFor(player_count), query.show_provisional);
  std::vector<Place> places;
  const int limit = page_size + 1;  // One more tells whether there is a next page.
  if (!query.page_token.empty()) {
    TAROT_ASSIGN_OR_RETURN(const BoardCursor past,
                           DecodeBoardToken(query.page_token, player_count));
    if (past.provisional && !query.show_provisional) {
      return BadRequest("page_token", "is not of this listing");
    }
    TAROT_ASSIGN_OR_RETURN(places, board.Below(past, limit));
  } else if (query.around) {
    TAROT_ASSIGN_OR_RETURN(places, board.Around(*query.around, limit));
  } else {
    TAROT_ASSIGN_OR_RETURN(places, board.Below(std::nullopt, limit));
  }
  RatingList list{.player_count = player_count};
  if (static_cast<int>(places.size()) == limit) {
    places.pop_back();
    list.next_page_token = EncodeBoardToken(player_count, Board::CursorOf(places.back()));
  }
  for (const Place& place : places) list.ratings.push_back(Show(player_count, place));
  return list;
}

absl::StatusOr<ChangePage> RatingService::ListChanges(const ListChangesQuery& query) {
  TAROT_ASSIGN_OR_RETURN(const int player_count, PlayerCount(query.player_count));
  TAROT_ASSIGN_OR_RETURN(const int page_size, PageSize(query.page_size));
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  if (!query.page_token.empty()) {
    TAROT_ASSIGN_OR_RETURN(before,
                           DecodeChangesToken(query.page_token, player_count, query.player));
  }
  TAROT_ASSIGN_OR_RETURN(std::vector<Change> changes,
                         store_.ListChanges(player_count, query.player, before, page_size + 1));
  ChangePage page;
  if (static_cast<int>(changes.size()) > page_size) {
    changes.pop_back();
    page.next_page_token = EncodeChangesToken(player_count, query.player, changes.back().sequence);
  }
  const rating::Model model = rating::Model::ForTable(player_count);
  for (const Change& change : changes) {
    page.changes.push_back({.change = change,
                            .rating_before = model.ShownRating(change.before),
                            .rating_after = model.ShownRating(change.after),
                            .deviation_after = model.ShownDeviation(change.after)});
  }
  return page;
}

PlaceRule RatingService::RuleFor(int player_count) {
  const rating::Model model = rating::Model::ForTable(player_count);
  return {.now = clock_.Now(),
          .variance_max = model.VarianceOfDeviation(place_deviation_max_),
          .variance_growth_per_second = model.VarianceGrowthPerSecond()};
}

ShownRating RatingService::Show(int player_count, const Place& place) {
  const rating::Model model = rating::Model::ForTable(player_count);
  ShownRating shown{.standing = place.standing, .rank = place.rank};
  rating::Skill& skill = shown.standing.skill;
  skill = place.standing.match_count == 0
              ? model.Prior()
              : model.Aged(skill, clock_.Now() - place.standing.update_time);
  shown.rating = model.ShownRating(skill);
  shown.deviation = model.ShownDeviation(skill);
  return shown;
}

}  // namespace tarot::ratings
