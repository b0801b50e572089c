// Limits the log lines that other processes can cause, so that these lines cannot fill the disk.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::obs {

// Each source may write `lines_max` lines per window of time. Thread-safe. This class never forgets
// a source, so the caller must use a bounded number of sources.
class LogLimiter {
 public:
  LogLimiter(int lines_max, absl::Duration window) : lines_max_(lines_max), window_(window) {}

  // Call this function before each line of `source`. Returns nullopt if the caller must drop the
  // line. If the caller may write the line, returns how many lines of `source` were dropped since
  // its last line.
  std::optional<int> Admit(absl::string_view source, absl::Time now);

 private:
  struct Source {
    absl::Time window_start = absl::InfinitePast();
    int lines = 0;  // Lines written in this window.
    int left_out = 0;
  };

  const int lines_max_;
  const absl::Duration window_;
  std::mutex mutex_;
  absl::flat_hash_map<std::string, Source> sources_;
};

}  // namespace tarot::obs
