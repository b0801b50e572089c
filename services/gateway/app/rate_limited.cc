#include "services/gateway/app/rate_limited.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"

namespace tarot::gateway {

absl::Status RateLimited(absl::Duration retry_after) {
  const std::int64_t seconds =
      std::max<std::int64_t>(1, absl::ToInt64Seconds(absl::Ceil(retry_after, absl::Seconds(1))));
  return Error(absl::StatusCode::kResourceExhausted, "RATE_LIMITED",
               absl::StrCat("Too many requests; try again in ", seconds, " s."),
               {{"retry_after_seconds", absl::StrCat(seconds)}});
}

}  // namespace tarot::gateway
