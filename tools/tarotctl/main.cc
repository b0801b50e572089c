// The platform from a terminal: play, watch, and read what is public.
#include <signal.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "libs/base/entropy.h"
#include "libs/base/real_clock.h"
#include "tools/tarotctl/commands/commands.h"

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);  // `tarotctl tables | head` is no crash.
  tarot::RealClock clock;
  tarot::RealScheduler scheduler;
  tarot::OsEntropy entropy;
  return tarot::tarotctl::Run(std::vector<std::string>(argv + 1, argv + argc),
                              {.out = std::cout,
                               .err = std::cerr,
                               .clock = clock,
                               .scheduler = scheduler,
                               .entropy = entropy,
                               .out_is_terminal = isatty(STDOUT_FILENO) == 1,
                               .err_is_terminal = isatty(STDERR_FILENO) == 1});
}
