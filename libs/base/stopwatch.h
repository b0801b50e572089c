// Measures elapsed time for metrics and logs. No decision may depend on the result.
#pragma once

#include "absl/time/time.h"

namespace tarot {

class Stopwatch {
 public:
  Stopwatch();  // Starts the stopwatch.
  absl::Duration Elapsed() const;

 private:
  long long start_ns_;
};

}  // namespace tarot
