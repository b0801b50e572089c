// gmock matchers for Status and StatusOr: IsOk(), StatusIs(code), HasReason("ILLEGAL_CARD").
#pragma once

#include <gmock/gmock.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/base/error.h"

namespace tarot::testkit {

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }

template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

MATCHER(IsOk, negation ? "is not OK" : "is OK") {
  *result_listener << StatusOf(arg);
  return StatusOf(arg).ok();
}

MATCHER_P(StatusIs, code, "has the code " + absl::StatusCodeToString(code)) {
  *result_listener << StatusOf(arg);
  return StatusOf(arg).code() == code;
}

MATCHER_P(HasReason, reason, std::string("has the reason ") + reason) {
  const std::string actual = GetErrorDetails(StatusOf(arg)).reason;
  *result_listener << StatusOf(arg) << " with the reason " << actual;
  return actual == reason;
}

}  // namespace tarot::testkit
