#include "tools/lab/audit/progress.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace tarot::lab {
namespace {

constexpr int kBarWidth = 30;
constexpr auto kTerminalPause = absl::Milliseconds(200);
constexpr auto kPlainPause = absl::Seconds(10);

}  // namespace

void Progress::Show(absl::Time now, double share, long records, long wrong) {
  if (now - shown_ < (terminal_ ? kTerminalPause : kPlainPause)) return;
  shown_ = now;
  const double seconds = std::max(absl::ToDoubleSeconds(now - start_), 0.001);
  const std::string text =
      absl::StrFormat("%3d %%  %d records, %d wrong, %.0f/s", static_cast<int>(100 * share),
                      records, wrong, static_cast<double>(records) / seconds);
  if (!terminal_) {
    out_ << text << "\n" << std::flush;
    return;
  }
  const auto full = static_cast<std::size_t>(kBarWidth * std::clamp(share, 0.0, 1.0));
  out_ << "\r[" << std::string(full, '#') << std::string(kBarWidth - full, '.') << "] " << text
       << "\x1b[K" << std::flush;
  bar_ = true;
}

void Progress::Clear() {
  if (bar_) out_ << "\r\x1b[K" << std::flush;
  bar_ = false;
}

}  // namespace tarot::lab
