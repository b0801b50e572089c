#include "tools/tarotctl/play/input.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "libs/base/check.h"

namespace tarot::tarotctl {
namespace {

// A script to which the test writes while the Input reads it.
struct Pipe {
  Pipe() { TAROT_CHECK(pipe(ends.data()) == 0); }
  ~Pipe() {
    close(ends[0]);
    Finish();
  }
  void Write(const std::string& text) {
    TAROT_CHECK(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  void Finish() {
    if (ends[1] >= 0) close(ends[1]);
    ends[1] = -1;
  }
  std::array<int, 2> ends{};
};

constexpr absl::Duration kLong = absl::Seconds(20);

TEST(InputTest, KeepsLinesUntilTheyAreWanted) {
  Pipe script;
  Input input(script.ends[0]);
  script.Write("garde\r\ns4 s5\nrest");
  std::string line;
  EXPECT_EQ(input.Wait(absl::Milliseconds(1), false, &line), InputEvent::kTimeout);
  EXPECT_EQ(input.Wait(kLong, true, &line), InputEvent::kLine);
  EXPECT_EQ(line, "garde");
  EXPECT_EQ(input.Wait(kLong, true, &line), InputEvent::kLine);
  EXPECT_EQ(line, "s4 s5");
  script.Finish();
  EXPECT_EQ(input.Wait(kLong, true, &line), InputEvent::kLine);
  EXPECT_EQ(line, "rest");
  EXPECT_EQ(input.Wait(kLong, true, &line), InputEvent::kEnd);
  EXPECT_EQ(input.Wait(kLong, true, &line), InputEvent::kEnd);
}

TEST(InputTest, WakesForAnotherThread) {
  Pipe script;
  Input input(script.ends[0]);
  std::thread other([&] { input.Wake(); });
  std::string line;
  EXPECT_EQ(input.Wait(kLong, true, &line), InputEvent::kWake);
  other.join();
}

TEST(InputTest, ReportsTheFirstInterruptAsAnEvent) {
  Pipe script;
  Input input(script.ends[0]);
  input.Wake();
  raise(SIGINT);
  std::string line;
  EXPECT_EQ(input.Wait(kLong, true, &line), InputEvent::kInterrupt);
  struct sigaction now = {};
  sigaction(SIGINT, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);  // A second Ctrl-C would end the program.
}

}  // namespace
}  // namespace tarot::tarotctl
