// How long to wait before the next attempt: exponential, with full jitter, so that clients who lost
// the same server do not come back at the same moment.
#pragma once

#include <algorithm>

#include "absl/time/time.h"
#include "libs/base/entropy.h"

namespace tarot::client {

struct Retry {
  // In a row: some 15 s where each fails at once, for a table may be with no host for ten. A
  // message of a watch starts them anew.
  int attempts_max = 16;
  absl::Duration backoff_min = absl::Milliseconds(100);  // Upper end of the first wait.
  absl::Duration backoff_max = absl::Seconds(2);

  // After `failures` in a row, from 1.
  absl::Duration Backoff(int failures, Entropy& entropy) const {
    absl::Duration top = backoff_min;
    for (int i = 1; i < failures && top < backoff_max; ++i) top *= 2;
    const double part = static_cast<double>(entropy.NewSeed() >> 11) * 0x1p-53;
    return std::min(top, backoff_max) * part;
  }
};

}  // namespace tarot::client
