// A run that is stopped from outside takes down what it has set up, then ends.
#pragma once

#include <functional>

#include "absl/time/time.h"

namespace tarot::chaos {

// Runs `work` in a child process and returns its exit code, or 2 when a signal ended it. The child
// has a session of its own, so that a Ctrl-C, which strikes a whole group, ends none of the tools
// and processes that `work` has started: it hears of SIGINT and SIGTERM, and of this process's end,
// by StopAsked alone. `after` runs here when the child has ended, whatever ended it. Call it before
// there is a second thread.
int RunInterruptibly(const std::function<int()>& work, const std::function<void()>& after);

// In the child: whether it shall come to its end.
bool StopAsked();

// Waits so long, or until `stop` says so; it is asked each 20 ms.
void SleepUnless(absl::Duration length, const std::function<bool()>& stop);

}  // namespace tarot::chaos
