// All errors of the admin service. docs/errors.md lists their reasons.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "services/admin/limits.h"

namespace tarot::admin_service::error {

inline absl::Status WhyInvalid() {
  return BadRequest("why", absl::StrCat("the reason of the call: 1 to ", kWhyBytesMax,
                                        " bytes without control characters"));
}
inline absl::Status PageTokenInvalid() {
  return BadRequest("page_token", "does not belong to this list");
}
inline absl::Status PageSizeNegative() { return BadRequest("page_size", "must not be negative"); }

inline absl::Status ReplicaNotFound() {
  return Error(absl::StatusCode::kNotFound, "REPLICA_NOT_FOUND",
               "No replica of rules has this address now, and none was drained at it.");
}
inline absl::Status ServiceAway(const std::string& service) {
  return Error(absl::StatusCode::kUnavailable, "SERVICE_AWAY",
               absl::StrCat("The ", service, " service is away; try again."),
               {{"service", service}});
}

// Errors about flags. `field` is the path of the field in the request.
inline absl::Status FlagInvalid(const std::string& field, const std::string& rule) {
  return BadRequest(field, rule);
}
inline absl::Status FlagNotFound() {
  return Error(absl::StatusCode::kNotFound, "FLAG_NOT_FOUND", "There is no such flag.");
}
inline absl::Status AlreadyJudged() {
  return Error(absl::StatusCode::kAlreadyExists, "ALREADY_JUDGED",
               "An operator has judged this flag already.");
}
inline absl::Status NameNotUnique(const std::string& field) {
  return Error(absl::StatusCode::kNotFound, "PLAYER_NOT_FOUND",
               "No player on the ladder, or more than one, has this name. Give the id instead.",
               {{"field", field}});
}

}  // namespace tarot::admin_service::error
