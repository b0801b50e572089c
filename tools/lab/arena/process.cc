#include "tools/lab/arena/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace tarot::lab {
namespace {

constexpr std::size_t kLineBytesMax = 100'000;

// The shell runs this text before the command. The text starts a guard process in the command's
// process group, with a pipe from this process as file descriptor 3. When this process ends, for
// any reason, the pipe closes, and the guard kills the group. Without the guard, a program that
// does not read its input would not notice the end of this process.
constexpr char kGuard[] = "{ read _; kill -9 0; } <&3 3<&- >/dev/null 2>&1 &\nexec 3<&-\n";

// Starts the program in a group of its own, with `socket` as input and output.
int Spawn(const std::string& command, int socket, int life, pid_t& pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, socket, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, life, 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &pipe);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  std::string shell = "sh", flag = "-c", text = kGuard + command;
  std::array<char*, 4> arguments{shell.data(), flag.data(), text.data(), nullptr};
  const int failed = posix_spawn(&pid, "/bin/sh", &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Process>> Process::Start(const std::string& command) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return absl::ErrnoToStatus(errno, "socketpair");
  }
  std::array<int, 2> life{};
  if (pipe2(life.data(), O_CLOEXEC) != 0) {
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    return absl::ErrnoToStatus(error, "pipe");
  }
  pid_t pid = 0;
  const int failed = Spawn(command, ends[1], life[0], pid);
  close(ends[1]);
  close(life[0]);
  if (failed == 0) return std::unique_ptr<Process>(new Process(ends[0], life[1], pid));
  close(ends[0]);
  close(life[1]);
  return absl::ErrnoToStatus(failed, "cannot start /bin/sh");
}

Process::~Process() {
  close(socket_);
  close(life_);
  kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool Process::Await(short events, absl::Time until) const {
  for (;;) {
    const absl::Duration left = until - absl::Now();
    if (left <= absl::ZeroDuration()) return false;
    pollfd ready{.fd = socket_, .events = events, .revents = 0};
    if (poll(&ready, 1, static_cast<int>(absl::ToInt64Milliseconds(left)) + 1) > 0) return true;
  }
}

absl::Status Process::Write(absl::string_view text, absl::Duration patience) {
  const absl::Time until = absl::Now() + patience;
  while (!text.empty()) {
    const ssize_t sent = send(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      text.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!Await(POLLOUT, until)) return absl::DeadlineExceededError("it reads nothing");
    } else if (errno != EINTR) {
      return absl::UnavailableError("it has ended");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Process::ReadLine(absl::Duration patience) {
  const absl::Time until = absl::Now() + patience;
  for (;;) {
    if (const std::size_t end = read_.find('\n'); end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return line;
    }
    if (read_.size() > kLineBytesMax) return absl::ResourceExhaustedError("a line without end");
    if (!Await(POLLIN, until)) return absl::DeadlineExceededError("no answer in time");
    std::array<char, 4096> bytes;
    const ssize_t got = recv(socket_, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return absl::UnavailableError("it has ended");
    read_.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace tarot::lab
