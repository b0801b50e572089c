#include "tools/lab/engine/line_input.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace tarot::lab {

bool LineInput::Read(bool wait) {
  pollfd ready{.fd = fd_, .events = POLLIN, .revents = 0};
  if (poll(&ready, 1, wait ? -1 : 0) <= 0) return wait && errno == EINTR;
  char bytes[4096];
  const ssize_t count = read(fd_, bytes, sizeof(bytes));
  if (count <= 0) return false;
  text_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

std::optional<std::string> LineInput::Next() {
  std::string line;
  for (bool begun = false;; begun = true) {
    if (text_.empty() && !Read(/*wait=*/true)) {
      return begun ? std::optional(line) : std::nullopt;
    }
    const std::size_t end = text_.find('\n');
    line.append(text_, 0, std::min(end, kLineBytesMax - line.size()));
    text_.erase(0, end == std::string::npos ? end : end + 1);
    if (end != std::string::npos) return line;
  }
}

bool LineInput::NextIs(absl::string_view line) {
  while (text_.size() <= kLineBytesMax && !absl::StrContains(text_, '\n') && Read(/*wait=*/false)) {
  }
  absl::string_view next = text_;
  return absl::ConsumePrefix(&next, line) &&
         (absl::StartsWith(next, "\n") || absl::StartsWith(next, "\r\n"));
}

}  // namespace tarot::lab
