#include "libs/rpc/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"

ABSL_FLAG(std::string, test_color, "default", "For this test.");
ABSL_FLAG(int, test_count, 1, "For this test.");
ABSL_FLAG(std::string, test_dsn, "", "For this test.");
ABSL_FLAG(std::string, test_address, "", "For this test.");
ABSL_FLAG(double, test_rate, 1, "For this test.");
ABSL_FLAG(absl::Duration, test_pause, absl::ZeroDuration(), "For this test.");

namespace tarot::rpc {
namespace {

// Starts a process with `arguments` and shows its flags on stderr.
[[noreturn]] void ShowFlags(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "tarot-test");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  InitProcess(static_cast<int>(argv.size()), argv.data(), "test", {"test_pause"});
  std::fprintf(stderr, "color=%s count=%d\n", absl::GetFlag(FLAGS_test_color).c_str(),
               absl::GetFlag(FLAGS_test_count));
  LogEffectiveOptions();
  std::exit(0);
}

class ProcessDeathTest : public testing::Test {
 protected:
  ProcessDeathTest() { std::ofstream(flagfile_) << "--test_color=file\n--test_count=2\n"; }
  ~ProcessDeathTest() override {
    ::unsetenv("TAROT_TEST_COLOR");
    ::unsetenv("TAROT_TEST_COUNT");
  }

  const std::string flagfile_ = testing::TempDir() + "process_test_flags";
  const testing::ExitedWithCode ok_{0};
};

TEST_F(ProcessDeathTest, FlagsOverEnvironmentOverFileOverDefaults) {
  EXPECT_EXIT(ShowFlags({}), ok_, "color=default count=1");
  EXPECT_EXIT(ShowFlags({"--flagfile=" + flagfile_}), ok_, "color=file count=2");
  ::setenv("TAROT_TEST_COLOR", "environment", 1);
  EXPECT_EXIT(ShowFlags({"--flagfile", flagfile_}), ok_, "color=environment count=2");
  EXPECT_EXIT(ShowFlags({"--test_color=flag", "--flagfile=" + flagfile_}), ok_,
              "color=flag count=2");
}

TEST_F(ProcessDeathTest, MistakesStopTheProcess) {
  const testing::ExitedWithCode failed(1);
  EXPECT_EXIT(ShowFlags({"--test_colour=red"}), failed, "test_colour");
  EXPECT_EXIT(ShowFlags({"red"}), failed, "unexpected argument 'red'");
  ::setenv("TAROT_TEST_COUNT", "many", 1);
  EXPECT_EXIT(ShowFlags({}), failed, "TAROT_TEST_COUNT");
}

TEST_F(ProcessDeathTest, SenselessValuesStopTheProcess) {
  const testing::ExitedWithCode failed(1);
  for (const std::string value : {"count=0", "count=-3", "rate=0", "rate=nan", "rate=inf"}) {
    EXPECT_EXIT(ShowFlags({"--test_" + value}), failed, "--test_" + value + ": must be above 0");
  }
  for (const std::string value : {"pause=-1s", "pause=inf"}) {
    EXPECT_EXIT(ShowFlags({"--test_" + value}), failed, "--test_" + value + ": must be 0 or above");
  }
  for (const std::string value : {"here", "here:", ":7100", "h:65537", "::1", "h:1,h", "unix:"}) {
    EXPECT_EXIT(ShowFlags({"--test_address=" + value}), failed,
                "--test_address=" + value + ": must be host:port");
  }
  for (const std::string value : {"h:0", "[::1]:7100", "h:1,i:2", "unix:/run/x"}) {
    EXPECT_EXIT(ShowFlags({"--test_address=" + value, "--test_pause=0"}), ok_, "color=default");
  }
  ::setenv("TAROT_TEST_COUNT", "-1", 1);
  EXPECT_EXIT(ShowFlags({}), failed, "--test_count=-1: must be above 0");
}

TEST_F(ProcessDeathTest, EffectiveOptionsAreOursAndHideSecrets) {
  EXPECT_EXIT(ShowFlags({"--test_count=7", "--test_dsn=host=db password=x"}), ok_,
              "\"effective options\",\"options\":\"--test_address= --test_color=default "
              "--test_count=7 --test_dsn=.hidden. --test_pause=0 --test_rate=1\"");
}

TEST_F(ProcessDeathTest, WaitsForAStopEvenOneThatCameBefore) {
  const auto run = [](int signal) {
    char name[] = "tarot-test";
    char* argv[] = {name};
    InitProcess(1, argv, "test", {"test_pause"});
    ::kill(::getpid(), signal);
    WaitForStop();
    std::exit(0);
  };
  EXPECT_EXIT(run(SIGTERM), ok_, "stopping.*SIGTERM");
  EXPECT_EXIT(run(SIGINT), ok_, "stopping.*SIGINT");
}

}  // namespace
}  // namespace tarot::rpc
