// Tests that a jump of the wall clock does not lengthen timed waits.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "tests/chaos/faulty_surroundings.h"

namespace tarot::chaos {
namespace {

TEST(ClockTest, JumpDoesNotLengthenWaitsOfAbseilAndGrpc) {
  FaultySurroundings surroundings(nullptr);
  const pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    surroundings.Enter("probe");
    const std::string probe = absl::StrCat(TAROT_BIN_DIR, "/clock_probe");
    execl(probe.c_str(), "clock_probe", std::getenv("TAROT_CLOCK_FILE"), nullptr);
    _exit(3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace tarot::chaos
