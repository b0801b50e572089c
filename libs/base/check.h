// Contains checks for errors of the programmer. The checks run in every build, because a restart of
// the process does less harm than a wrong result. For an error that a client, a network or a disk
// can cause, use a Status, never a check.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace tarot {

[[noreturn]] inline void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: TAROT_CHECK failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace tarot

#define TAROT_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::tarot::CheckFailed(__FILE__, __LINE__, #condition))
