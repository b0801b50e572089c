// The errors that the gateway itself makes. docs/errors.md lists all errors.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::gateway_service {

// Returns RESOURCE_EXHAUSTED RATE_LIMITED (metadata: retry_after_seconds, rounded up, at least 1),
// for a call above a limit of one player or of one address.
absl::Status RateLimited(absl::Duration retry_after);

// Returns UNAVAILABLE OVERLOADED, for a call above a limit of all players together.
absl::Status Overloaded();

// Returns UNAVAILABLE SERVICE_AWAY (metadata: service). The README lists the causes of this error.
absl::Status ServiceAway(const std::string& service);

// Returns UNIMPLEMENTED METHOD_NOT_FORWARDED (metadata: method, cut at kMethodBytesMax).
absl::Status MethodNotForwarded(absl::string_view path);
// Returns INVALID_ARGUMENT BAD_REQUEST for a call that has no message or more than one.
absl::Status NotOneMessage();

// Returns INVALID_ARGUMENT BAD_REQUEST for the field display_name.
absl::Status NameOfBot();
// Returns ALREADY_EXISTS NAME_TAKEN (metadata: suggestion, if it is not empty).
absl::Status NameTaken(const std::string& suggestion);

// Returns FAILED_PRECONDITION BAD_PAGE_FOLDER, which only the log shows.
absl::Status BadPageFolder(const std::string& folder, absl::string_view why);

// These functions return UNAUTHENTICATED BAD_TOKEN (metadata: why).
absl::Status MissingToken();
absl::Status NotAPlayersToken();
absl::Status MalformedToken();
absl::Status RevokedToken();

// Returns PERMISSION_DENIED BANNED (metadata: until; message, if it is not empty).
absl::Status Banned(absl::Time end_time, const std::string& message);

}  // namespace tarot::gateway_service
