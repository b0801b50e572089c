// Lets a run clean up before it ends after SIGINT or SIGTERM.
#pragma once

#include <functional>

#include "absl/time/time.h"

namespace tarot::chaos {

// Runs `work` in a child process. Returns the exit code of the child, or 2 if a signal ended the
// child. The child has its own session, so a Ctrl-C reaches neither the child nor the processes
// that `work` starts. After SIGINT or SIGTERM to the parent, and after the parent's end,
// StopAsked() returns true in the child. `after` runs in this process after the child has ended in
// any way. Call this function before the program has a second thread.
int RunInterruptibly(const std::function<int()>& work, const std::function<void()>& after);

// Returns true if the child process must stop. Only the child calls it.
bool StopAsked();

// Sleeps for `length`, or until `stop` returns true. Calls `stop` every 20 ms.
void SleepUnless(absl::Duration length, const std::function<bool()>& stop);

}  // namespace tarot::chaos
