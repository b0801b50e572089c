// The file of queues and bots that operators edit, deploy/queues.json.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "tarot/matchmaking/v1/matchmaking_admin_service.pb.h"

namespace tarot::matchmaking_service {

// Reads the file, an ApplyQueuesRequest in protobuf's JSON form. Returns INVALID_ARGUMENT
// BAD_REQUEST with the place and the name of an unknown field or of a value of the wrong type.
absl::StatusOr<matchmaking::v1::ApplyQueuesRequest> ReadQueuesFile(const std::string& path);

}  // namespace tarot::matchmaking_service
