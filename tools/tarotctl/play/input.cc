#include "tools/tarotctl/play/input.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "libs/base/check.h"

namespace tarot::tarotctl {
namespace {

// The pipe that wakes Wait(). It is global, because a signal handler cannot reach an object.
std::array<int, 2> wake_pipe = {-1, -1};

constexpr char kWakeByte = 'w';
constexpr char kInterruptByte = 'i';

void Send(char byte) {
  const int saved = errno;
  // If the pipe is full, its reader is awake already.
  [[maybe_unused]] const ssize_t sent = write(wake_pipe[1], &byte, 1);
  errno = saved;
}

void OnInterrupt(int) { Send(kInterruptByte); }

}  // namespace

InputFile::InputFile(const std::string& path)
    : fd_(path.empty() ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

InputFile::~InputFile() {
  if (fd_ > STDIN_FILENO) close(fd_);
}

Input::Input(int fd) : fd_(fd), is_terminal_(isatty(fd) == 1) {
  TAROT_CHECK(wake_pipe[0] == -1);
  TAROT_CHECK(pipe2(wake_pipe.data(), O_CLOEXEC | O_NONBLOCK) == 0);
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  // After the first Ctrl-C, the second Ctrl-C ends the program.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

Input::~Input() {
  signal(SIGINT, SIG_DFL);
  close(wake_pipe[0]);
  close(wake_pipe[1]);
  wake_pipe = {-1, -1};
}

void Input::Wake() { Send(kWakeByte); }

bool Input::TakeLine(std::string* line) {
  const std::size_t end = buffer_.find('\n');
  if (end == std::string::npos && !(ended_ && !buffer_.empty())) return false;
  *line = buffer_.substr(0, end);
  buffer_.erase(0, end == std::string::npos ? end : end + 1);
  if (absl::EndsWith(*line, "\r")) line->pop_back();
  return true;
}

InputEvent Input::Wait(absl::Duration timeout, bool want_line, std::string* line) {
  if (want_line && TakeLine(line)) return InputEvent::kLine;
  if (want_line && ended_) return InputEvent::kEnd;
  std::array<pollfd, 2> fds = {pollfd{wake_pipe[0], POLLIN, 0},
                               pollfd{want_line ? fd_ : -1, POLLIN, 0}};
  const int ready =
      poll(fds.data(), fds.size(), static_cast<int>(absl::ToInt64Milliseconds(timeout)));
  if (ready < 0) return InputEvent::kWake;  // A signal came, and its byte is in the pipe.
  if (ready == 0) return InputEvent::kTimeout;
  if (fds[0].revents != 0) {
    std::array<char, 256> bytes;
    const ssize_t count = read(wake_pipe[0], bytes.data(), bytes.size());
    for (ssize_t i = 0; i < count; ++i) {
      if (bytes[static_cast<std::size_t>(i)] == kInterruptByte) return InputEvent::kInterrupt;
    }
    return InputEvent::kWake;
  }
  std::array<char, 4096> bytes;
  const ssize_t count = read(fd_, bytes.data(), bytes.size());
  if (count > 0) {
    buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || errno != EINTR) {
    ended_ = true;
  }
  if (TakeLine(line)) return InputEvent::kLine;
  return ended_ ? InputEvent::kEnd : InputEvent::kWake;
}

}  // namespace tarot::tarotctl
