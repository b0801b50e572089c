#include "services/gateway/app/errors.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {

absl::Status RateLimited(absl::Duration retry_after) {
  const std::int64_t seconds =
      std::max<std::int64_t>(1, absl::ToInt64Seconds(absl::Ceil(retry_after, absl::Seconds(1))));
  return Error(absl::StatusCode::kResourceExhausted, "RATE_LIMITED",
               absl::StrCat("Too many requests; try again in ", seconds, " s."),
               {{"retry_after_seconds", absl::StrCat(seconds)}});
}

absl::Status Overloaded() {
  return Error(absl::StatusCode::kUnavailable, "OVERLOADED", "The server is busy.");
}

absl::Status ServiceAway(const std::string& service) {
  return Error(absl::StatusCode::kUnavailable, "SERVICE_AWAY",
               absl::StrCat("The ", service, " service is away; try again."),
               {{"service", service}});
}

absl::Status MethodNotForwarded(absl::string_view path) {
  std::string method(path.substr(0, kMethodBytesMax));
  // An error must be UTF-8, but a path may contain any bytes.
  for (char& c : method) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
  }
  return Error(absl::StatusCode::kUnimplemented, "METHOD_NOT_FORWARDED",
               absl::StrCat("The gateway does not forward the method ", method, "."),
               {{"method", method}});
}

absl::Status NotOneMessage() {
  return Error(absl::StatusCode::kInvalidArgument, "BAD_REQUEST",
               "A call of this method must send exactly one message.");
}

absl::Status NameOfBot() {
  return BadRequest("display_name", "must not look like the name of a bot");
}

absl::Status NameTaken(const std::string& suggestion) {
  const std::string text = "Another player has this name, or one that looks like it.";
  if (suggestion.empty()) return Error(absl::StatusCode::kAlreadyExists, "NAME_TAKEN", text);
  return Error(absl::StatusCode::kAlreadyExists, "NAME_TAKEN",
               absl::StrCat(text, " This name is free: ", suggestion),
               {{"suggestion", suggestion}});
}

absl::Status BadPageFolder(const std::string& folder, absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, "BAD_PAGE_FOLDER",
               absl::StrCat("Cannot serve the page in ", folder, ": ", why));
}

absl::Status MissingToken() {
  return Error(absl::StatusCode::kUnauthenticated, "BAD_TOKEN",
               "Sign in first: the token is missing.", {{"why", "missing"}});
}

absl::Status NotAPlayersToken() {
  return Error(absl::StatusCode::kUnauthenticated, "BAD_TOKEN", "The token is not a player's.",
               {{"why", "not a player's"}});
}

absl::Status MalformedToken() {
  return Error(absl::StatusCode::kUnauthenticated, "BAD_TOKEN", "The token is malformed.",
               {{"why", "malformed"}});
}

absl::Status RevokedToken() {
  return Error(absl::StatusCode::kUnauthenticated, "BAD_TOKEN",
               "The token is revoked: you have signed out.", {{"why", "revoked"}});
}

absl::Status Banned(absl::Time end_time, const std::string& message) {
  const std::string until = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", end_time, absl::UTCTimeZone());
  const std::string text = absl::StrCat("You are banned until ", until, ".");
  if (message.empty()) {
    return Error(absl::StatusCode::kPermissionDenied, "BANNED", text, {{"until", until}});
  }
  return Error(absl::StatusCode::kPermissionDenied, "BANNED", absl::StrCat(text, " ", message),
               {{"until", until}, {"message", message}});
}

}  // namespace tarot::gateway_service
