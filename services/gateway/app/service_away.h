// The one wording of a service behind the gateway that cannot be reached.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"

namespace tarot::gateway {

// UNAVAILABLE SERVICE_AWAY; metadata: service.
inline absl::Status ServiceAway(const std::string& service) {
  return Error(absl::StatusCode::kUnavailable, "SERVICE_AWAY",
               absl::StrCat("The ", service, " service is away; try again."),
               {{"service", service}});
}

}  // namespace tarot::gateway
