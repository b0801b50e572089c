// Simulated threads: each task has its own stack in one real thread, so one task can wait while
// others run.
#pragma once

#include <ucontext.h>

#include <cstddef>

#include "absl/functional/any_invocable.h"

namespace tarot::sim {

// The task starts at the first Resume and continues at each later Resume. It must have ended before
// the destructor runs. A waiting task must not hold a mutex that other tasks lock. There is only
// one real thread, and it would block forever.
class Fiber {
 public:
  explicit Fiber(absl::AnyInvocable<void()> task);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs the task until it waits or ends. A fiber must not call Resume.
  void Resume();
  bool ended() const { return ended_; }

  // Returns the fiber that runs now, or nullptr.
  static Fiber* Current();
  // Waits: control returns to the caller of Resume. Only a fiber may call this function.
  static void Wait();

 private:
  static void Main();

  absl::AnyInvocable<void()> task_;
  char* const stack_;
  ucontext_t here_{};
  ucontext_t caller_{};
  bool ended_ = false;
};

}  // namespace tarot::sim
