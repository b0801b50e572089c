// The ladder on the wire, for players.
#pragma once

#include "libs/rpc/dispatcher.h"
#include "services/ratings/app/rating_service.h"
#include "tarot/ratings/v1/rating_service.grpc.pb.h"

namespace tarot::ratings {

class RatingServiceImpl final : public v1::RatingService::CallbackService {
 public:
  RatingServiceImpl(RatingService& ratings, rpc::Dispatcher& dispatcher)
      : ratings_(ratings), dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* GetRating(grpc::CallbackServerContext* context,
                                      const v1::GetRatingRequest* request,
                                      v1::GetRatingResponse* response) override;
  grpc::ServerUnaryReactor* BatchGetRatings(grpc::CallbackServerContext* context,
                                            const v1::BatchGetRatingsRequest* request,
                                            v1::BatchGetRatingsResponse* response) override;
  grpc::ServerUnaryReactor* ListRatings(grpc::CallbackServerContext* context,
                                        const v1::ListRatingsRequest* request,
                                        v1::ListRatingsResponse* response) override;
  grpc::ServerUnaryReactor* ListRatingChanges(grpc::CallbackServerContext* context,
                                              const v1::ListRatingChangesRequest* request,
                                              v1::ListRatingChangesResponse* response) override;

 private:
  RatingService& ratings_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace tarot::ratings
