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

// Maps a count that an int cannot hold to the largest int, which RatingService refuses.
int DecodeCount(std::uint32_t count) {
  constexpr std::uint32_t kMax = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(count, kMax));
}

absl::StatusOr<PlayerId> DecodePlayer(absl::string_view name, absl::string_view field) {
  return wire::DecodeName<PlayerId>(name, "players/", field);
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
  const RatingChange& change = shown.change;
  out->set_table(absl::StrCat("tables/", change.table.ToString()));
  out->set_points_per_deal(static_cast<double>(change.total) / change.deal_count);
  out->set_points(change.total);
  if (change.luck) out->set_luck(*change.luck);
  out->set_rating_before(shown.rating_before);
  out->set_rating_after(shown.rating_after);
  out->set_deviation_after(shown.deviation_after);
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
}

// Ratings are public: players, services and tools on the internal network may read them.
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
          std::vector<PlayerId> players;
          for (const std::string& name : request->players()) {
            const std::string field = absl::StrCat("players[", players.size(), "]");
            TAROT_ASSIGN_OR_RETURN(const PlayerId player, DecodePlayer(name, field));
            players.push_back(player);
          }
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
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.RatingIngestService/RecordMatch", rpc::Access::kService,
        [=, this](const rpc::Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const MatchResult match, DecodeMatch(*request));
          TAROT_ASSIGN_OR_RETURN(const bool replayed, ratings_.RecordMatch(match));
          response->set_replayed(replayed);
          return absl::OkStatus();
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
