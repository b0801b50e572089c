// Measures elapsed time for metrics and logs only. No decision may depend on it.
#pragma once

#include "absl/time/time.h"

namespace tarot {

class Stopwatch {
 public:
  Stopwatch();  // Starts it.
  absl::Duration Elapsed() const;

 private:
  long long start_ns_;
};

}  // namespace tarot
