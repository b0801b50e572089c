#include "tests/sim/fiber.h"

#include <sys/mman.h>

#include <utility>
#include <vector>

#include "libs/base/check.h"

namespace tarot::sim {
namespace {

constexpr std::size_t kGuardBytes = 4096;
constexpr std::size_t kStackBytes = 512 << 10;  // Only touched pages use memory.

Fiber* current = nullptr;

// New fibers reuse old stacks, because mapping a stack costs more than most tasks.
std::vector<char*>& FreeStacks() {
  static auto* const stacks = new std::vector<char*>();
  return *stacks;
}

char* TakeStack() {
  if (!FreeStacks().empty()) {
    char* const stack = FreeStacks().back();
    FreeStacks().pop_back();
    return stack;
  }
  void* const memory = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TAROT_CHECK(memory != MAP_FAILED);
  // A stack overflow stops the program here.
  TAROT_CHECK(mprotect(memory, kGuardBytes, PROT_NONE) == 0);
  return static_cast<char*>(memory) + kGuardBytes;
}

}  // namespace

Fiber::Fiber(absl::AnyInvocable<void()> task) : task_(std::move(task)), stack_(TakeStack()) {
  TAROT_CHECK(getcontext(&here_) == 0);
  here_.uc_stack.ss_sp = stack_;
  here_.uc_stack.ss_size = kStackBytes;
  here_.uc_link = nullptr;
  makecontext(&here_, &Fiber::Main, 0);
}

Fiber::~Fiber() {
  TAROT_CHECK(ended_);
  FreeStacks().push_back(stack_);
}

Fiber* Fiber::Current() { return current; }

void Fiber::Resume() {
  TAROT_CHECK(current == nullptr && !ended_);
  current = this;
  TAROT_CHECK(swapcontext(&caller_, &here_) == 0);
  current = nullptr;
}

void Fiber::Wait() {
  TAROT_CHECK(current != nullptr);
  Fiber& self = *current;
  TAROT_CHECK(swapcontext(&self.here_, &self.caller_) == 0);
}

void Fiber::Main() {
  Fiber& self = *current;
  self.task_();
  self.task_ = nullptr;  // Destroys the task's captures while this fiber still runs.
  self.ended_ = true;
  Wait();
}

}  // namespace tarot::sim
