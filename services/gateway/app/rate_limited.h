// The one wording of "too much from one caller".
#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace tarot::gateway {

// RESOURCE_EXHAUSTED RATE_LIMITED; metadata: retry_after_seconds, rounded up, at least 1.
absl::Status RateLimited(absl::Duration retry_after);

}  // namespace tarot::gateway
