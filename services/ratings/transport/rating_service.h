// Declares the gRPC services of ratings. RatingService is for players. RatingIngestService,
// PlayerAdminService and AccountAdminService are for services. LadderAdminService is for operators.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/rpc/dispatcher.h"
#include "services/ratings/app/account_admin.h"
#include "services/ratings/app/ladder_admin.h"
#include "services/ratings/app/player_admin.h"
#include "services/ratings/app/rating_service.h"
#include "services/ratings/app/season.h"
#include "tarot/ratings/v1/ladder_admin_service.pb.h"

namespace tarot::ratings_service {

// The arguments of these functions must outlive the results.
std::unique_ptr<grpc::Service> MakeRatingService(RatingService& ratings,
                                                 rpc::Dispatcher& dispatcher);
std::unique_ptr<grpc::Service> MakeRatingIngestService(RatingService& ratings,
                                                       rpc::Dispatcher& dispatcher);

// Returns LadderAdminService.
std::unique_ptr<grpc::Service> MakeLadderAdminService(LadderAdmin& ladders,
                                                      rpc::Dispatcher& dispatcher);

// Reads a file that operators send to LadderAdminService. The file is a StartSeasonRequest in
// protobuf's JSON form. If the file cannot be read, has an unknown field, or has a value of the
// wrong type, returns INVALID_ARGUMENT BAD_REQUEST.
absl::StatusOr<ratings::v1::StartSeasonRequest> ReadSeasonFile(const std::string& path);

// Returns a text that ReadSeasonFile() can read as a file. Numbers have four digits after the
// decimal point. If this program cannot rate matches with one of the seasons, returns
// INVALID_ARGUMENT BAD_REQUEST.
absl::StatusOr<std::string> SeasonFileText(absl::Span<const Season> seasons);

std::unique_ptr<grpc::Service> MakePlayerAdminService(PlayerAdmin& players,
                                                      rpc::Dispatcher& dispatcher);

// `hashing` runs the methods that compute hashes of passphrases. It has its own threads.
std::unique_ptr<grpc::Service> MakeAccountAdminService(AccountAdmin& accounts,
                                                       rpc::Dispatcher& dispatcher,
                                                       rpc::Dispatcher& hashing);

}  // namespace tarot::ratings_service
