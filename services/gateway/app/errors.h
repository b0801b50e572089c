// The errors that the gateway itself gives to players. docs/errors.md lists them all.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace tarot::gateway_service {

// Returned at a limit of one caller: RESOURCE_EXHAUSTED RATE_LIMITED (metadata:
// retry_after_seconds, rounded up, at least 1).
absl::Status RateLimited(absl::Duration retry_after);

// Returned at a limit of all callers together: UNAVAILABLE OVERLOADED.
absl::Status Overloaded();

// Returned when a service behind the gateway cannot be reached: UNAVAILABLE SERVICE_AWAY (metadata:
// service).
absl::Status ServiceAway(const std::string& service);

// Returned for a wrong request: UNIMPLEMENTED METHOD_NOT_FORWARDED (metadata: method), or
// INVALID_ARGUMENT BAD_REQUEST for a call that has no message or more than one.
absl::Status MethodNotForwarded(const std::string& path);
absl::Status NotOneMessage();

// Returned for a wrong token: UNAUTHENTICATED BAD_TOKEN (metadata: why).
absl::Status MissingToken();
absl::Status NotAPlayersToken();

}  // namespace tarot::gateway_service
