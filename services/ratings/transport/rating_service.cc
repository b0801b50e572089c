#include "services/ratings/transport/rating_service.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "libs/base/error.h"
#include "libs/wire/values.h"
#include "services/ratings/app/errors.h"
#include "tarot/ratings/v1/rating_ingest_service.grpc.pb.h"
#include "tarot/ratings/v1/rating_service.grpc.pb.h"

namespace tarot::ratings_service {
namespace {

namespace v1 = ratings::v1;

std::string PlayerName(PlayerId player) { return absl::StrCat("players/", player.ToString()); }

// Returns `count`. If an int cannot hold `count`, returns the largest int. The largest int is no
// number of players and is above each maximum. So the service refuses it, or reduces it to the
// maximum.
int DecodeCount(std::uint32_t count) {
  constexpr std::uint32_t kMax = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(count, kMax));
}

absl::StatusOr<PlayerId> DecodePlayer(absl::string_view name, absl::string_view field) {
  return wire::DecodeName<PlayerId>(name, "players/", field);
}

absl::StatusOr<std::vector<PlayerId>> DecodePlayers(
    const google::protobuf::RepeatedPtrField<std::string>& names) {
  std::vector<PlayerId> players;
  for (const std::string& name : names) {
    const std::string field = absl::StrCat("players[", players.size(), "]");
    TAROT_ASSIGN_OR_RETURN(const PlayerId player, DecodePlayer(name, field));
    players.push_back(player);
  }
  return players;
}

absl::StatusOr<DealtDeal> DecodeDeal(const v1::DealtDeal& in, const std::string& field) {
  DealtDeal deal{.number = DecodeCount(in.number()),
                 .dealer = DecodeCount(in.dealer()),
                 .pack = in.pack(),
                 .scores = {in.scores().begin(), in.scores().end()}};
  switch (in.outcome()) {
    case v1::DealtDeal::SCORED:
      deal.outcome = DealOutcome::kScored;
      break;
    case v1::DealtDeal::NOT_PLAYED:
      deal.outcome = DealOutcome::kNotPlayed;
      break;
    case v1::DealtDeal::VOIDED:
      deal.outcome = DealOutcome::kVoided;
      break;
    default:
      return error::OutcomeMissing(field + ".outcome");
  }
  for (const std::uint32_t seat : in.stand_in_seats()) deal.stand_ins.push_back(DecodeCount(seat));
  return deal;
}

absl::StatusOr<MatchResult> DecodeMatch(const v1::RecordMatchRequest& request) {
  MatchResult match;
  TAROT_ASSIGN_OR_RETURN(match.table,
                         wire::DecodeName<TableId>(request.table(), "tables/", "table"));
  match.deal_count = DecodeCount(request.deal_count());
  match.rated = !request.unrated();
  for (const v1::MatchPlayer& player : request.players()) {
    const std::string field = absl::StrCat("players[", match.players.size(), "].player");
    TAROT_ASSIGN_OR_RETURN(const PlayerId id, DecodePlayer(player.player(), field));
    match.players.push_back({.player = id,
                             .display_name = player.display_name(),
                             .bot = player.bot(),
                             .total = player.total()});
  }
  TAROT_ASSIGN_OR_RETURN(match.match_time, wire::DecodeTime(request.match_time(), "match_time"));
  match.rule_values = request.rule_values();
  for (const v1::DealtDeal& deal : request.deals()) {
    TAROT_ASSIGN_OR_RETURN(DealtDeal decoded,
                           DecodeDeal(deal, absl::StrCat("deals[", match.deals.size(), "]")));
    match.deals.push_back(std::move(decoded));
  }
  return match;
}

absl::StatusOr<ListRatingsQuery> DecodeListRatings(const v1::ListRatingsRequest& request) {
  ListRatingsQuery query{.player_count = DecodeCount(request.player_count()),
                         .page_size = request.page_size(),
                         .page_token = request.page_token(),
                         .show_provisional = request.show_provisional(),
                         .country = request.country()};
  if (!request.around().empty()) {
    TAROT_ASSIGN_OR_RETURN(query.around, DecodePlayer(request.around(), "around"));
  }
  TAROT_ASSIGN_OR_RETURN(query.players, DecodePlayers(request.players()));
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
  out->set_country(standing.country);
  // The proto has the tiers in the same order, after TIER_UNSPECIFIED.
  if (rating.tier) out->set_tier(static_cast<v1::Rating::Tier>(static_cast<int>(*rating.tier) + 1));
  if (rating.week_change) out->set_week_change(static_cast<std::int32_t>(*rating.week_change));
  if (standing.match_count > 0) wire::EncodeTime(standing.update_time, out->mutable_update_time());
}

void EncodeRole(const RoleResult& result, v1::RoleResult* out) {
  // The proto has the roles in the same order, after ROLE_UNSPECIFIED.
  out->set_role(static_cast<v1::RoleResult::Role>(static_cast<int>(result.role) + 1));
  out->set_deal_count(static_cast<std::uint32_t>(result.deal_count));
  out->set_won_count(static_cast<std::uint32_t>(result.won_count));
  out->set_points(result.points);
  out->set_result_per_deal(result.result / result.deal_count);
}

void EncodeChange(const ShownChange& shown, v1::RatingChange* out) {
  const RatingChange& change = shown.change;
  out->set_table(absl::StrCat("tables/", change.table.ToString()));
  out->set_points_per_deal(static_cast<double>(change.total) / change.deal_count);
  out->set_points(change.total);
  if (change.luck) out->set_luck(*change.luck);
  if (shown.rating_before) out->set_rating_before(*shown.rating_before);
  if (shown.rating_after) out->set_rating_after(*shown.rating_after);
  if (shown.deviation_after) out->set_deviation_after(*shown.deviation_after);
  out->set_voided(!change.after);
  for (const RoleResult& role : shown.roles) EncodeRole(role, out->add_roles());
  wire::EncodeTime(change.match_time, out->mutable_match_time());
}

absl::StatusOr<ListMatchesQuery> DecodeListMatches(const v1::ListMatchesRequest& request) {
  TAROT_ASSIGN_OR_RETURN(const PlayerId player, DecodePlayer(request.player(), "player"));
  return ListMatchesQuery{
      .player = player, .page_size = request.page_size(), .page_token = request.page_token()};
}

void EncodeMatch(PlayerId player, const ShownMatch& shown, v1::PlayedMatch* out) {
  const PlayedMatch& match = shown.match;
  out->set_table(absl::StrCat("tables/", match.table.ToString()));
  wire::EncodeTime(match.match_time, out->mutable_match_time());
  out->set_deal_count(static_cast<std::uint32_t>(match.deal_count));
  for (const MatchPlayer& seat : match.players) {
    if (seat.player == player) {
      out->set_points(seat.total);
      continue;
    }
    v1::PlayedSeat* opponent = out->add_opponents();
    opponent->set_player(PlayerName(seat.player));
    opponent->set_display_name(seat.display_name);
    opponent->set_bot(seat.bot);
    opponent->set_points(seat.total);
  }
  if (shown.rating_before) out->set_rating_before(*shown.rating_before);
  if (shown.rating_after) out->set_rating_after(*shown.rating_after);
  out->set_voided(match.voided);
}

// All callers may read ratings: players, services, and tools on the internal network.
class RatingServiceHandler final : public v1::RatingService::CallbackService {
 public:
  RatingServiceHandler(RatingService& ratings, rpc::Dispatcher& dispatcher)
      : ratings_(ratings), dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* GetRating(grpc::CallbackServerContext* context,
                                      const v1::GetRatingRequest* request,
                                      v1::GetRatingResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.RatingService/GetRating", rpc::Access::kEveryCaller,
        [=, this](const rpc::Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const PlayerId player, DecodePlayer(request->player(), "player"));
          TAROT_ASSIGN_OR_RETURN(const RatingList list,
                                 ratings_.GetRating(DecodeCount(request->player_count()), player));
          EncodeRating(list.ratings.front(), list.player_count, response->mutable_rating());
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* BatchGetRatings(grpc::CallbackServerContext* context,
                                            const v1::BatchGetRatingsRequest* request,
                                            v1::BatchGetRatingsResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.RatingService/BatchGetRatings", rpc::Access::kEveryCaller,
        [=, this](const rpc::Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const std::vector<PlayerId> players,
                                 DecodePlayers(request->players()));
          TAROT_ASSIGN_OR_RETURN(
              const RatingList list,
              ratings_.GetRatings(DecodeCount(request->player_count()), players));
          for (const ShownRating& rating : list.ratings) {
            EncodeRating(rating, list.player_count, response->add_ratings());
          }
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* ListRatings(grpc::CallbackServerContext* context,
                                        const v1::ListRatingsRequest* request,
                                        v1::ListRatingsResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.RatingService/ListRatings", rpc::Access::kEveryCaller,
        [=, this](const rpc::Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const ListRatingsQuery query, DecodeListRatings(*request));
          TAROT_ASSIGN_OR_RETURN(const RatingList list, ratings_.ListRatings(query));
          for (const ShownRating& rating : list.ratings) {
            EncodeRating(rating, list.player_count, response->add_ratings());
          }
          response->set_next_page_token(list.next_page_token);
          response->set_total_size(static_cast<std::uint32_t>(list.total_size));
          if (list.season == 0) return absl::OkStatus();
          response->set_season(static_cast<std::uint32_t>(list.season));
          wire::EncodeTime(list.season_start_time, response->mutable_season_start_time());
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* SetCountry(grpc::CallbackServerContext* context,
                                       const v1::SetCountryRequest* request,
                                       v1::SetCountryResponse*) override {
    return dispatcher_.Unary(context, "tarot.ratings.v1.RatingService/SetCountry",
                             rpc::Access::kPlayer, [=, this](const rpc::Caller& caller) {
                               return ratings_.SetCountry(caller.player, request->country());
                             });
  }

  grpc::ServerUnaryReactor* SearchPlayers(grpc::CallbackServerContext* context,
                                          const v1::SearchPlayersRequest* request,
                                          v1::SearchPlayersResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.RatingService/SearchPlayers", rpc::Access::kEveryCaller,
        [=, this](const rpc::Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(
              const RatingList list,
              ratings_.SearchPlayers({.text = request->query(),
                                      .player_count = DecodeCount(request->player_count()),
                                      .page_size = request->page_size(),
                                      .page_token = request->page_token()}));
          for (const ShownRating& rating : list.ratings) {
            EncodeRating(rating, list.player_count, response->add_ratings());
          }
          response->set_next_page_token(list.next_page_token);
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* ListRatingChanges(grpc::CallbackServerContext* context,
                                              const v1::ListRatingChangesRequest* request,
                                              v1::ListRatingChangesResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.RatingService/ListRatingChanges", rpc::Access::kEveryCaller,
        [=, this](const rpc::Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const ListChangesQuery query, DecodeListChanges(*request));
          TAROT_ASSIGN_OR_RETURN(const ChangePage page, ratings_.ListChanges(query));
          for (const ShownChange& change : page.changes) {
            EncodeChange(change, response->add_changes());
          }
          response->set_next_page_token(page.next_page_token);
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* GetPlayerStatistics(
      grpc::CallbackServerContext* context, const v1::GetPlayerStatisticsRequest* request,
      v1::GetPlayerStatisticsResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.RatingService/GetPlayerStatistics", rpc::Access::kEveryCaller,
        [=, this](const rpc::Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const PlayerId player, DecodePlayer(request->player(), "player"));
          TAROT_ASSIGN_OR_RETURN(
              const PlayerStatistics statistics,
              ratings_.GetStatistics(DecodeCount(request->player_count()), player));
          response->set_match_count(static_cast<std::uint32_t>(statistics.match_count));
          for (const RoleResult& role : statistics.roles) EncodeRole(role, response->add_roles());
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* ListMatches(grpc::CallbackServerContext* context,
                                        const v1::ListMatchesRequest* request,
                                        v1::ListMatchesResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.RatingService/ListMatches", rpc::Access::kEveryCaller,
        [=, this](const rpc::Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const ListMatchesQuery query, DecodeListMatches(*request));
          TAROT_ASSIGN_OR_RETURN(const MatchPage page, ratings_.ListMatches(query));
          for (const ShownMatch& match : page.matches) {
            EncodeMatch(query.player, match, response->add_matches());
          }
          response->set_next_page_token(page.next_page_token);
          return absl::OkStatus();
        });
  }

 private:
  RatingService& ratings_;
  rpc::Dispatcher& dispatcher_;
};

class RatingIngestServiceHandler final : public v1::RatingIngestService::CallbackService {
 public:
  RatingIngestServiceHandler(RatingService& ratings, rpc::Dispatcher& dispatcher)
      : ratings_(ratings), dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* RecordMatch(grpc::CallbackServerContext* context,
                                        const v1::RecordMatchRequest* request,
                                        v1::RecordMatchResponse* response) override {
    return dispatcher_.UnaryLater(
        context, "tarot.ratings.v1.RatingIngestService/RecordMatch", rpc::Access::kService,
        [=, this](const rpc::Caller&, rpc::Dispatcher::Finish finish) {
          absl::StatusOr<MatchResult> match = DecodeMatch(*request);
          if (!match.ok()) return finish(match.status());
          ratings_.RecordMatch(*std::move(match), [response, finish = std::move(finish)](
                                                      absl::StatusOr<bool> replayed) mutable {
            if (replayed.ok()) response->set_replayed(*replayed);
            finish(replayed.status());
          });
        });
  }

 private:
  RatingService& ratings_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeRatingService(RatingService& ratings,
                                                 rpc::Dispatcher& dispatcher) {
  return std::make_unique<RatingServiceHandler>(ratings, dispatcher);
}

std::unique_ptr<grpc::Service> MakeRatingIngestService(RatingService& ratings,
                                                       rpc::Dispatcher& dispatcher) {
  return std::make_unique<RatingIngestServiceHandler>(ratings, dispatcher);
}

}  // namespace tarot::ratings_service
