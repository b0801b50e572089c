#include "services/ratings/transport/convert.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/wire/values.h"

namespace tarot::ratings {
namespace {

std::string PlayerName(PlayerId player) { return absl::StrCat("players/", player.ToString()); }

}  // namespace

int DecodeCount(std::uint32_t count) {
  constexpr std::uint32_t kMax = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(count, kMax));
}

absl::StatusOr<PlayerId> DecodePlayer(absl::string_view name, absl::string_view field) {
  return wire::DecodeName<PlayerId>(name, "players/", field);
}

absl::StatusOr<MatchResult> DecodeMatch(const v1::RecordMatchRequest& request) {
  MatchResult match;
  TAROT_ASSIGN_OR_RETURN(match.table,
                         wire::DecodeName<TableId>(request.table(), "tables/", "table"));
  match.deal_count = DecodeCount(request.deal_count());
  for (const v1::MatchPlayer& player : request.players()) {
    const std::string field = absl::StrCat("players[", match.players.size(), "].player");
    TAROT_ASSIGN_OR_RETURN(const PlayerId id, DecodePlayer(player.player(), field));
    match.players.push_back({.player = id,
                             .display_name = player.display_name(),
                             .bot = player.bot(),
                             .total = player.total()});
  }
  TAROT_ASSIGN_OR_RETURN(match.match_time, wire::DecodeTime(request.match_time(), "match_time"));
  return match;
}

absl::StatusOr<ListRatingsQuery> DecodeListRatings(const v1::ListRatingsRequest& request) {
  ListRatingsQuery query{.player_count = DecodeCount(request.player_count()),
                         .page_size = request.page_size(),
                         .page_token = request.page_token(),
                         .show_provisional = request.show_provisional()};
  if (!request.around().empty()) {
    TAROT_ASSIGN_OR_RETURN(query.around, DecodePlayer(request.around(), "around"));
  }
  return query;
}

absl::StatusOr<ListChangesQuery> DecodeListChanges(const v1::ListRatingChangesRequest& request) {
  TAROT_ASSIGN_OR_RETURN(const PlayerId player, DecodePlayer(request.player(), "player"));
  return ListChangesQuery{.player = player,
                          .player_count = DecodeCount(request.player_count()),
                          .page_size = request.page_size(),
                          .page_token = request.page_token()};
}

void EncodeRating(const ShownRating& rating, int player_count, v1::Rating* out) {
  const Standing& standing = rating.standing;
  out->set_player(PlayerName(standing.player));
  out->set_display_name(standing.display_name);
  out->set_player_count(static_cast<std::uint32_t>(player_count));
  out->set_rating(rating.rating);
  out->set_deviation(rating.deviation);
  out->set_mu(standing.skill.mu);
  out->set_variance(standing.skill.variance);
  out->set_match_count(static_cast<std::uint32_t>(standing.match_count));
  if (rating.rank) out->set_rank(static_cast<std::uint32_t>(*rating.rank));
  out->set_bot(standing.bot);
  if (standing.match_count > 0) wire::EncodeTime(standing.update_time, out->mutable_update_time());
}

void EncodeChange(const ShownChange& shown, v1::RatingChange* out) {
  const Change& change = shown.change;
  out->set_table(absl::StrCat("tables/", change.table.ToString()));
  out->set_points_per_deal(static_cast<double>(change.total) / change.deal_count);
  out->set_rating_before(shown.rating_before);
  out->set_rating_after(shown.rating_after);
  out->set_deviation_after(shown.deviation_after);
  wire::EncodeTime(change.match_time, out->mutable_match_time());
}

}  // namespace tarot::ratings
