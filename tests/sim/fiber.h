// Simulated threads: tasks on stacks of their own, in one real thread, so that one can wait while
// others run.
#pragma once

#include <ucontext.h>

#include <cstddef>

#include "absl/functional/any_invocable.h"

namespace tarot::sim {

// Starts with the first Resume, and goes on with each. It must have ended before it is destroyed.
// What waits may hold no mutex that others take: there is one real thread, it would stand still.
class Fiber {
 public:
  explicit Fiber(absl::AnyInvocable<void()> task);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs it until it waits or ends. Not from a fiber.
  void Resume();
  bool ended() const { return ended_; }

  // The one that runs, or nullptr.
  static Fiber* Current();
  // Goes back to who called Resume. Only from a fiber.
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
