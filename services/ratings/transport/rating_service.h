// The gRPC services of ratings: RatingService for players, RatingIngestService and
// PlayerAdminService for services.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "libs/rpc/dispatcher.h"
#include "services/ratings/app/player_admin.h"
#include "services/ratings/app/rating_service.h"

namespace tarot::ratings_service {

// `ratings`, `players` and `dispatcher` must outlive the result.
std::unique_ptr<grpc::Service> MakeRatingService(RatingService& ratings,
                                                 rpc::Dispatcher& dispatcher);
std::unique_ptr<grpc::Service> MakeRatingIngestService(RatingService& ratings,
                                                       rpc::Dispatcher& dispatcher);

std::unique_ptr<grpc::Service> MakePlayerAdminService(PlayerAdmin& players,
                                                      rpc::Dispatcher& dispatcher);

}  // namespace tarot::ratings_service
