#include "tools/tarotctl/engine/line_input.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace tarot::tarotctl {

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
  std::size_t end = text_.find('\n');
  while (end == std::string::npos && Read(/*wait=*/true)) end = text_.find('\n');
  if (end == std::string::npos && text_.empty()) return std::nullopt;
  const std::string line = text_.substr(0, end);
  text_.erase(0, end == std::string::npos ? end : end + 1);
  return line;
}

bool LineInput::NextIs(absl::string_view line) {
  while (!absl::StrContains(text_, '\n') && Read(/*wait=*/false)) {
  }
  absl::string_view next = text_;
  return absl::ConsumePrefix(&next, line) &&
         (absl::StartsWith(next, "\n") || absl::StartsWith(next, "\r\n"));
}

}  // namespace tarot::tarotctl
