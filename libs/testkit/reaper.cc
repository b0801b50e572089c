#include "libs/testkit/reaper.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "libs/base/check.h"

namespace tarot::testkit {

// The reaper is a shell that reads its standard input to the end before the script begins. The
// input ends when this process ends. The shell has its own session, so a Ctrl-C for the test does
// not end it.
Reaper::Reaper(const std::string& script) {
  const std::string command = "cat; " + script;
  int ends[2];
  TAROT_CHECK(::pipe2(ends, O_CLOEXEC) == 0);
  pid_ = ::fork();
  TAROT_CHECK(pid_ >= 0);
  if (pid_ == 0) {
    ::setsid();
    ::dup2(ends[0], STDIN_FILENO);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    // Redirects the reaper's outputs. If the reaper kept the test's output open, a program that
    // reads this output would wait for the reaper to end.
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[0]);
  pipe_ = ends[1];
}

Reaper::~Reaper() {
  ::close(pipe_);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace tarot::testkit
