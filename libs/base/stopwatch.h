// Measures how long something took, for metrics and logs only: nothing may be decided by it.
#pragma once

#include "absl/time/time.h"

namespace tarot {

class Stopwatch {
 public:
  Stopwatch();  // Starts.
  absl::Duration Elapsed() const;

 private:
  long long start_ns_;
};

}  // namespace tarot
