#include "services/ratings/transport/rating_service_impl.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/status_macros.h"
#include "services/ratings/transport/convert.h"

namespace tarot::ratings {
namespace {

// Ratings are public: players and services may ask, and so may tools inside.
constexpr rpc::Access kAccess = rpc::Access::kAnybody;

}  // namespace

grpc::ServerUnaryReactor* RatingServiceImpl::GetRating(grpc::CallbackServerContext* context,
                                                       const v1::GetRatingRequest* request,
                                                       v1::GetRatingResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.ratings.v1.RatingService/GetRating", kAccess,
      [=, this](const rpc::Caller&) -> absl::Status {
        TAROT_ASSIGN_OR_RETURN(const PlayerId player, DecodePlayer(request->player(), "player"));
        TAROT_ASSIGN_OR_RETURN(const RatingList list,
                               ratings_.GetRatings(DecodeCount(request->player_count()), {player}));
        EncodeRating(list.ratings.front(), list.player_count, response->mutable_rating());
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* RatingServiceImpl::BatchGetRatings(
    grpc::CallbackServerContext* context, const v1::BatchGetRatingsRequest* request,
    v1::BatchGetRatingsResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.ratings.v1.RatingService/BatchGetRatings", kAccess,
      [=, this](const rpc::Caller&) -> absl::Status {
        std::vector<PlayerId> players;
        for (const std::string& name : request->players()) {
          const std::string field = absl::StrCat("players[", players.size(), "]");
          TAROT_ASSIGN_OR_RETURN(const PlayerId player, DecodePlayer(name, field));
          players.push_back(player);
        }
        TAROT_ASSIGN_OR_RETURN(const RatingList list,
                               ratings_.GetRatings(DecodeCount(request->player_count()), players));
        for (const ShownRating& rating : list.ratings) {
          EncodeRating(rating, list.player_count, response->add_ratings());
        }
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* RatingServiceImpl::ListRatings(grpc::CallbackServerContext* context,
                                                         const v1::ListRatingsRequest* request,
                                                         v1::ListRatingsResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.ratings.v1.RatingService/ListRatings", kAccess,
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

grpc::ServerUnaryReactor* RatingServiceImpl::ListRatingChanges(
    grpc::CallbackServerContext* context, const v1::ListRatingChangesRequest* request,
    v1::ListRatingChangesResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.ratings.v1.RatingService/ListRatingChanges", kAccess,
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

}  // namespace tarot::ratings
