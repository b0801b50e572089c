// Declares functions that decode and encode values. Several services of this folder use them.
#pragma once

#include <google/protobuf/duration.pb.h>

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"

namespace tarot::matchmaking_service {

inline std::uint32_t Count(int count) { return static_cast<std::uint32_t>(count); }

// Returns `count`, or the largest int if `count` is larger. CheckTerms() refuses the largest int.
int DecodeCount(std::uint32_t count);

// If the value does not have the right form, the following functions return INVALID_ARGUMENT
// BAD_REQUEST with `field`.

// Decodes a whole number of seconds. Does not check limits, because CheckTerms() checks them.
absl::StatusOr<absl::Duration> DecodeClock(const google::protobuf::Duration& duration,
                                           const std::string& field);
absl::StatusOr<RequestId> DecodeRequestId(absl::string_view text);
absl::StatusOr<PlayerId> DecodePlayerName(absl::string_view name, absl::string_view field);

}  // namespace tarot::matchmaking_service
