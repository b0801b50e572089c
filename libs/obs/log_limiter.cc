#include "libs/obs/log_limiter.h"

#include <utility>

namespace tarot::obs {

std::optional<int> LogLimiter::Admit(absl::string_view source, absl::Time now) {
  const std::lock_guard lock(mutex_);
  Source& known = sources_[source];
  // A new window begins when the old window is over, or when the clock was set back.
  if (now - known.window_start >= window_ || now < known.window_start) {
    known.window_start = now;
    known.lines = 0;
  }
  if (known.lines >= lines_max_) {
    ++known.left_out;
    return std::nullopt;
  }
  ++known.lines;
  return std::exchange(known.left_out, 0);
}

}  // namespace tarot::obs
