// Decodes resource names, encodes durations, and converts times, for all services.
#pragma once

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "libs/base/error.h"

namespace tarot::wire {

// Parses a `name` that consists of `prefix` and a UUID, for example "tables/{uuid}". For any other
// name, returns INVALID_ARGUMENT BAD_REQUEST about `field`.
template <typename Id>
absl::StatusOr<Id> DecodeName(absl::string_view name, absl::string_view prefix,
                              absl::string_view field) {
  if (absl::ConsumePrefix(&name, prefix)) {
    if (const std::optional<Id> id = Id::Parse(name)) return *id;
  }
  return BadRequest(field, absl::StrCat(prefix, "{uuid}"));
}

// `duration` must be finite.
inline void EncodeDuration(absl::Duration duration, google::protobuf::Duration* out) {
  out->set_seconds(absl::IDivDuration(duration, absl::Seconds(1), &duration));
  out->set_nanos(static_cast<std::int32_t>(absl::ToInt64Nanoseconds(duration)));
}

// `time` must be finite.
inline void EncodeTime(absl::Time time, google::protobuf::Timestamp* out) {
  const std::int64_t seconds = absl::ToUnixSeconds(time);  // ToUnixSeconds rounds down.
  out->set_seconds(seconds);
  out->set_nanos(
      static_cast<std::int32_t>(absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(seconds))));
}

// Accepts the years 1970 to 9999. For any other time, returns INVALID_ARGUMENT BAD_REQUEST.
inline absl::StatusOr<absl::Time> DecodeTime(const google::protobuf::Timestamp& time,
                                             absl::string_view field) {
  constexpr std::int64_t kYear10000 = 253'402'300'800;
  if (time.seconds() < 0 || time.seconds() >= kYear10000 || time.nanos() < 0 ||
      time.nanos() > 999'999'999) {
    return BadRequest(field, "from 1970 to 9999");
  }
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

}  // namespace tarot::wire
