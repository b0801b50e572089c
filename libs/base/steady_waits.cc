#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include <cstdarg>

#include "libs/base/real_clock.h"

namespace {

constexpr long kNanosecondsPerSecond = 1'000'000'000;

timespec Now(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return now;
}

// Converts the wall-clock time `wall` to a steady-clock time with the same distance from now.
timespec Steady(const timespec& wall) {
  const timespec wall_now = Now(CLOCK_REALTIME);
  timespec steady = Now(CLOCK_MONOTONIC);
  steady.tv_sec += wall.tv_sec - wall_now.tv_sec;
  steady.tv_nsec += wall.tv_nsec - wall_now.tv_nsec;
  for (; steady.tv_nsec < 0; --steady.tv_sec) steady.tv_nsec += kNanosecondsPerSecond;
  for (; steady.tv_nsec >= kNanosecondsPerSecond; ++steady.tv_sec) {
    steady.tv_nsec -= kNanosecondsPerSecond;
  }
  if (steady.tv_sec < 0) steady = {};  // The kernel refuses negative times.
  return steady;
}

// Makes the system call `number`. Returns the kernel's result, in which negative numbers are
// errors.
long Call(long number, const long (&arguments)[6]) {
  long result;
  register long fourth asm("r10") = arguments[3];
  register long fifth asm("r8") = arguments[4];
  register long sixth asm("r9") = arguments[5];
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]), "r"(fourth),
                 "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  return result;
}

bool WaitsByTheWall(long number, long operation) {
  constexpr long kWait = FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME;
  return number == SYS_futex && (operation & ~long{FUTEX_PRIVATE_FLAG}) == kWait;
}

}  // namespace

// Replaces syscall() of the C library, because Abseil's timed waits call futex through it. The
// replacement also serves the shared libraries of this program. It changes timed waits on the wall
// clock to waits on the steady clock. To do so, it removes the flag FUTEX_CLOCK_REALTIME: without
// this flag, FUTEX_WAIT_BITSET takes an absolute time of the steady clock. Like the C library's
// syscall(), the replacement reads six arguments even if the caller passed fewer. So the address
// sanitizer must not check this function.
extern "C" __attribute__((no_sanitize_address)) long syscall(long number, ...) noexcept {
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  timespec steady;
  const auto* const wall = reinterpret_cast<const timespec*>(arguments[3]);
  if (WaitsByTheWall(number, arguments[1]) && wall != nullptr) {
    steady = Steady(*wall);
    arguments[1] &= ~long{FUTEX_CLOCK_REALTIME};
    arguments[3] = reinterpret_cast<long>(&steady);
  }
  const long result = Call(number, arguments);
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}

namespace tarot {

// This function is empty. A call of this function makes the linker include this file, and with it
// the syscall() above.
void UseSteadyWaits() {}

}  // namespace tarot
