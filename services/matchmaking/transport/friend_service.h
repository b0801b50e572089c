// Declares the gRPC service FriendService, for players, and the list of reports for operators.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>

#include "absl/status/status.h"
#include "libs/rpc/dispatcher.h"
#include "services/matchmaking/app/friend_service.h"
#include "tarot/matchmaking/v1/matchmaking_admin_service.pb.h"

namespace tarot::matchmaking_service {

// The result has references to the objects of the parameters, so these objects must outlive the
// result.
std::unique_ptr<grpc::Service> MakeFriendService(FriendService& friends,
                                                 rpc::Dispatcher& dispatcher);

// Answers MatchmakingAdminService.ListReports.
absl::Status AnswerListReports(FriendService& friends,
                               const matchmaking::v1::ListReportsRequest& request,
                               matchmaking::v1::ListReportsResponse* response);

}  // namespace tarot::matchmaking_service
