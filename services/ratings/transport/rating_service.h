// The gRPC services of ratings: RatingService for players, RatingIngestService and
// PlayerAdminService for services, LadderAdminService for operators.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/rpc/dispatcher.h"
#include "services/ratings/app/player_admin.h"
#include "services/ratings/app/rating_service.h"
#include "tarot/ratings/v1/ladder_admin_service.pb.h"

namespace tarot::ratings_service {

// `ratings`, `players` and `dispatcher` must outlive the result.
std::unique_ptr<grpc::Service> MakeRatingService(RatingService& ratings,
                                                 rpc::Dispatcher& dispatcher);
std::unique_ptr<grpc::Service> MakeRatingIngestService(RatingService& ratings,
                                                       rpc::Dispatcher& dispatcher);

// Returns LadderAdminService.
std::unique_ptr<grpc::Service> MakeLadderAdminService(RatingService& ratings,
                                                      rpc::Dispatcher& dispatcher);

// Reads a file that operators send to LadderAdminService: a StartSeasonRequest in protobuf's JSON
// form. Returns INVALID_ARGUMENT BAD_REQUEST if the file cannot be read, has an unknown field, or
// has a value of another type.
absl::StatusOr<ratings::v1::StartSeasonRequest> ReadSeasonFile(const std::string& path);

std::unique_ptr<grpc::Service> MakePlayerAdminService(PlayerAdmin& players,
                                                      rpc::Dispatcher& dispatcher);

}  // namespace tarot::ratings_service
