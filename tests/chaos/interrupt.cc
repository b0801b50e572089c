#include "tests/chaos/interrupt.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "libs/base/check.h"

namespace tarot::chaos {
namespace {

std::atomic<bool> stop_asked = false;
static_assert(std::atomic<bool>::is_always_lock_free, "A signal handler uses it.");

}  // namespace

int RunInterruptibly(const std::function<int()>& work, const std::function<void()>& after) {
  sigset_t heard, before;
  sigemptyset(&heard);
  for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&heard, signal);
  sigprocmask(SIG_BLOCK, &heard, &before);
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  TAROT_CHECK(child >= 0);
  if (child == 0) {
    setsid();
    signal(SIGTERM, [](int) { stop_asked = true; });
    sigprocmask(SIG_SETMASK, &before, nullptr);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) stop_asked = true;
    std::exit(work());
  }
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    int signal = 0;
    sigwait(&heard, &signal);
    if (signal != SIGCHLD) kill(child, SIGTERM);
  }
  after();
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  std::fprintf(stderr, "ended by signal %d\n", WTERMSIG(status));
  return 2;
}

bool StopAsked() { return stop_asked; }

void SleepUnless(absl::Duration length, const std::function<bool()>& stop) {
  const auto end = std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(length);
  while (std::chrono::steady_clock::now() < end && !stop()) {
    const auto next = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    std::this_thread::sleep_until(std::min(end, next));
  }
}

}  // namespace tarot::chaos
