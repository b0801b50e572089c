// Errors inside the process: an absl::Status with a reason for programs and text for people.
// Free of protobuf, so that app/ may use it; libs/status turns it into google.rpc at the wire.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tarot {

using ErrorMetadata = std::vector<std::pair<std::string, std::string>>;

// `reason` is UPPER_SNAKE_CASE and listed in docs/errors.md; `metadata` holds every dynamic part of
// `message`, so that no client ever parses text. Never a card that the caller may not know.
absl::Status Error(absl::StatusCode code, absl::string_view reason, absl::string_view message,
                   const ErrorMetadata& metadata = {});

// INVALID_ARGUMENT BAD_REQUEST: `field` as in the proto ("clocks.move_limit").
absl::Status BadRequest(absl::string_view field, absl::string_view description);

// Returns the details that Error() stored. `reason` is empty for any other Status.
struct ErrorDetails {
  std::string reason;
  std::map<std::string, std::string> metadata;
};
ErrorDetails GetErrorDetails(const absl::Status& status);

}  // namespace tarot
