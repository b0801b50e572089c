// The platform from a terminal: play, watch, and read what is public.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "libs/base/entropy.h"
#include "libs/base/real_clock.h"
#include "tools/tarotctl/commands/commands.h"

namespace {

// A standard stream that the caller closed would be the next file opened, a connection of ours.
// Opened for reading, /dev/null is an empty input, and an output that fails.
void OccupyStandardStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) == -1) open("/dev/null", O_RDONLY);
  }
}

// Runs before the constructors of libraries: gRPC's open files.
[[gnu::section(".preinit_array"), gnu::used]] void (*occupy_first)() = OccupyStandardStreams;

// `tarotctl tables | head` is no failure: who read has seen enough.
bool ReaderHasLeft() {
  pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

}  // namespace

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  tarot::RealClock clock;
  tarot::RealScheduler scheduler;
  tarot::OsEntropy entropy;
  const int code = tarot::tarotctl::Run(std::vector<std::string>(argv + 1, argv + argc),
                                        {.out = std::cout,
                                         .err = std::cerr,
                                         .clock = clock,
                                         .scheduler = scheduler,
                                         .entropy = entropy,
                                         .out_is_terminal = isatty(STDOUT_FILENO) == 1,
                                         .err_is_terminal = isatty(STDERR_FILENO) == 1});
  std::cout.flush();
  if (std::cout.good() || ReaderHasLeft()) return code;
  std::cerr << "tarotctl: not all of the answer could be written\n";
  return tarot::tarotctl::kFailed;
}
