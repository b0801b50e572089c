#include "libs/rpc/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "libs/base/error.h"
#include "libs/rpc/server.h"
#include "tarot/matchmaking/v1/matchmaking_service.pb.h"

#define TAROT_TEST_OPTIONS(OPTION)                                                  \
  OPTION(std::string, test_color, "default", Path(), "A color.")                    \
  OPTION(int, test_count, 1, Range(1, 9, "things"), "Things.")                      \
  OPTION(std::string, test_dsn, "", Dsn(), "A database.")                           \
  OPTION(std::string, test_address, "127.0.0.1:1", Address(), "An address.")        \
  OPTION(std::string, test_other_address, "", AddressOrEmpty(), "Another address.") \
  OPTION(std::string, test_door, "h:1", DoorAddresses(), "A door.")                 \
  OPTION(double, test_rate, 1, Range(0.5, 2.0, "things per second"), "A rate.")     \
  OPTION(absl::Duration, test_pause, absl::ZeroDuration(),                          \
         Range(absl::ZeroDuration(), absl::Minutes(1)), "A pause.")

TAROT_TEST_OPTIONS(TAROT_OPTION_FLAG)
TAROT_TLS_OPTIONS(TAROT_OPTION_FLAG)

namespace tarot::rpc {
namespace {

struct Options {
  TAROT_TEST_OPTIONS(TAROT_OPTION_FIELD)
};

// Reads `arguments` as main() does, and prints two flags to stderr.
[[noreturn]] void ShowFlags(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "tarot-test");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  InitProcess(static_cast<int>(argv.size()), argv.data(), "test",
              {TAROT_TEST_OPTIONS(TAROT_OPTION_RANGE)});
  const Options options = {TAROT_TEST_OPTIONS(TAROT_OPTION_VALUE)};
  std::fprintf(stderr, "color=%s count=%d\n", options.test_color.c_str(), options.test_count);
  LogEffectiveOptions();
  std::exit(0);
}

// Reads a request whose text is not UTF-8.
[[noreturn]] void ReadBadText() {
  char name[] = "tarot-test";
  char* argv[] = {name};
  InitProcess(1, argv, "test", {});
  matchmaking::v1::GetTicketRequest request;
  const bool read = request.ParseFromString("\x0a\x01\xff");
  std::fprintf(stderr, "read=%d\n", read);
  std::exit(0);
}

[[noreturn]] void RaiseLimit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 64;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  RaiseDescriptorLimit();
  ::getrlimit(RLIMIT_NOFILE, &limit);
  std::exit(limit.rlim_cur == limit.rlim_max ? 0 : 1);
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

TEST_F(ProcessDeathTest, RaisesTheDescriptorLimitAndLogsIt) {
  EXPECT_EXIT(RaiseLimit(), ok_, "descriptor limit");
}

TEST_F(ProcessDeathTest, BadTextOfACallerWritesNoLine) {
  EXPECT_EXIT(ReadBadText(), ok_, testing::StrEq("read=0\n"));
}

TEST_F(ProcessDeathTest, FlagsOverrideEnvironmentAndFileAndDefaults) {
  EXPECT_EXIT(ShowFlags({}), ok_, "color=default count=1");
  EXPECT_EXIT(ShowFlags({"--flagfile=" + flagfile_}), ok_, "color=file count=2");
  ::setenv("TAROT_TEST_COLOR", "environment", 1);
  EXPECT_EXIT(ShowFlags({"--flagfile", flagfile_}), ok_, "color=environment count=2");
  EXPECT_EXIT(ShowFlags({"--test_color=flag", "--flagfile=" + flagfile_}), ok_,
              "color=flag count=2");
}

TEST_F(ProcessDeathTest, UnknownFlagsAndArgumentsStopTheProcess) {
  const testing::ExitedWithCode failed(1);
  EXPECT_EXIT(ShowFlags({"--test_colour=red"}), failed, "test_colour");
  EXPECT_EXIT(ShowFlags({"red"}), failed, "unexpected argument 'red'");
  ::setenv("TAROT_TEST_COUNT", "many", 1);
  EXPECT_EXIT(ShowFlags({}), failed, "TAROT_TEST_COUNT");
}

TEST_F(ProcessDeathTest, AValueOutOfRangeStopsTheProcessAndNamesFlagRangeAndUnit) {
  const testing::ExitedWithCode failed(1);
  for (const std::string value : {"0", "-3", "10"}) {
    EXPECT_EXIT(ShowFlags({"--test_count=" + value}), failed,
                "--test_count=" + value + ": must be 1 to 9 things");
  }
  for (const std::string value : {"0", "nan", "inf"}) {
    EXPECT_EXIT(ShowFlags({"--test_rate=" + value}), failed,
                "--test_rate=" + value + ": must be 0.5 to 2 things per second");
  }
  for (const std::string value : {"-1s", "inf"}) {
    EXPECT_EXIT(ShowFlags({"--test_pause=" + value}), failed,
                "--test_pause=" + value + ": must be 0 to 1m");
  }
  for (const std::string value :
       {"", "here", "here:", ":7100", "h:65537", "::1", "h:1,h", "unix:"}) {
    EXPECT_EXIT(ShowFlags({"--test_address=" + value}), failed,
                "--test_address=" + value + ": must be host:port");
  }
  EXPECT_EXIT(ShowFlags({"--test_other_address=here"}), failed, "must be host:port, or empty");
  for (const std::string value : {"h:0", "[::1]:7100", "h:1,i:2", "unix:/run/x"}) {
    EXPECT_EXIT(ShowFlags({"--test_address=" + value, "--test_pause=0"}), ok_, "color=default");
  }
  for (const std::string value : {"", "h", "https://", "https://h", "http://h:1"}) {
    EXPECT_EXIT(ShowFlags({"--test_door=" + value}), failed, "must be .https://.host:port");
  }
  for (const std::string value : {"h:1", "https://h:1"}) {
    EXPECT_EXIT(ShowFlags({"--test_door=" + value}), ok_, "color=default");
  }
  ::setenv("TAROT_TEST_COUNT", "-1", 1);
  EXPECT_EXIT(ShowFlags({}), failed, "--test_count=-1: must be 1 to 9 things");
}

// A service whose server answers only health checks.
class EmptyService final : public Service {
 public:
  explicit EmptyService(const std::string& address)
      : server_(Server::Start({.address = address}, {}).value()) {}
  int port() const override { return server_->port(); }
  void AnnounceShutdown() override { server_->AnnounceShutdown(); }
  void Shutdown() override { server_->Shutdown(); }

 private:
  const std::unique_ptr<Server> server_;
};

// Runs a service whose database comes late. Prints the health of the service in each phase of its
// life.
[[noreturn]] void LiveAndDie() {
  char name[] = "tarot-test";
  char* argv[] = {name};
  InitProcess(1, argv, "test", {});
  const std::string address = "unix:" + testing::TempDir() + "life-" + std::to_string(getpid());
  const auto is = [&](const char* health) {
    return CheckHealth(address, health, absl::Seconds(10)).ok();
  };
  std::atomic<bool> database_is_there = false;
  std::jthread asker([&] {
    while (!is(kLiveness)) continue;
    std::fprintf(stderr, "without database: ready=%d\n", is(kReadiness));
    database_is_there = true;
    while (!is(kReadiness)) continue;
    ::kill(::getpid(), SIGTERM);
    while (is(kReadiness)) continue;
    std::fprintf(stderr, "lame duck: live=%d\n", is(kLiveness));
    ::kill(::getpid(), SIGTERM);
  });
  const auto check = [&](prometheus::Registry&) {
    return database_is_there
               ? absl::OkStatus()
               : Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "The database is away.");
  };
  const auto start = [&](const Environment&) { return std::make_unique<EmptyService>(address); };
  const int code = RunService({address, "127.0.0.1:0", absl::Hours(1)}, check, start);
  asker.join();
  std::exit(code);
}

TEST_F(ProcessDeathTest, WaitsForItsDatabaseAndBecomesALameDuckBeforeItEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(LiveAndDie(), ok_,
              "not ready.*STORAGE_AWAY.*without database: ready=0.*serving.*lame duck: live=1");
}

TEST_F(ProcessDeathTest, EndsIfItsStartFailsForGood) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    char name[] = "tarot-test";
    char* argv[] = {name};
    InitProcess(1, argv, "test", {});
    std::exit(RunService(
        {"127.0.0.1:0", "127.0.0.1:0", absl::Hours(1)},
        [](prometheus::Registry&) { return absl::OkStatus(); },
        [](const Environment&) -> absl::StatusOr<std::unique_ptr<Service>> {
          return Error(absl::StatusCode::kFailedPrecondition, "CLOCK_WRONG", "x");
        }));
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(1), "cannot start.*CLOCK_WRONG");
}

TEST_F(ProcessDeathTest, AJobTellsByItsExitCodeWhetherItSucceeded) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [](const absl::Status& status) { std::exit(RunJob([=] { return status; })); };
  EXPECT_EXIT(run(absl::OkStatus()), ok_, "starting");
  EXPECT_EXIT(run(Error(absl::StatusCode::kFailedPrecondition, "MIGRATION_CHANGED", "x")),
              testing::ExitedWithCode(1), "failed.*MIGRATION_CHANGED");
}

TEST_F(ProcessDeathTest, CheckAsksAnotherProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const testing::ExitedWithCode failed(1);
  const auto check = [](const std::string& name, bool ready) {
    ::dup2(STDERR_FILENO, STDOUT_FILENO);  // EXPECT_EXIT reads only stderr.
    const std::string address = "unix:" + testing::TempDir() + "check-" + std::to_string(getpid());
    const auto server = Server::Start({.address = address, .ready = [=] { return ready; }}, {});
    if (name.empty()) ShowFlags({"--check", address});
    ShowFlags({"--check", address, name});
  };
  EXPECT_EXIT(check("", true), ok_, "readiness: SERVING");
  EXPECT_EXIT(check("liveness", false), ok_, "liveness: SERVING");
  EXPECT_EXIT(check("readiness", false), failed, "");
  EXPECT_EXIT(check("x", true), failed, "");
  EXPECT_EXIT(ShowFlags({"--check", "unix:/nowhere/socket"}), failed, "");
  EXPECT_EXIT(ShowFlags({"--check"}), failed, "--check takes an address");
}

TEST_F(ProcessDeathTest, RefusesAHalfOfTheTlsFilesAndBadOnes) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const testing::ExitedWithCode failed(1);
  EXPECT_EXIT(ShowFlags({"--tls_cert_file=a"}), failed, "TLS needs all of");
  EXPECT_EXIT(ShowFlags({"--tls_cert_file=/nowhere/a", "--tls_key_file=b", "--tls_ca_file=c"}),
              failed, "TLS file /nowhere/a: cannot be read");
}

TEST(OptionsTest, HelpShowsReasonAndRange) {
  EXPECT_EQ(absl::FindCommandLineFlag("test_count")->Help(), "Things. (1 to 9 things)");
  EXPECT_EQ(absl::FindCommandLineFlag("test_pause")->Help(), "A pause. (0 to 1m)");
}

TEST_F(ProcessDeathTest, EffectiveOptionsListOurFlagsAndHideSecrets) {
  EXPECT_EXIT(ShowFlags({"--test_count=7", "--test_dsn=host=db password=x"}), ok_,
              "\"effective options\",\"options\":\"--allow_plaintext=false "
              "--test_address=127.0.0.1:1 "
              "--test_color=default --test_count=7 --test_door=h:1 --test_dsn=.hidden. "
              "--test_other_address= --test_pause=0 --test_rate=1 "
              "--tls_ca_file= --tls_cert_file= --tls_key_file=\"");
}

TEST_F(ProcessDeathTest, VersionNamesTheCommit) {
  const auto run = [] {
    ::dup2(STDERR_FILENO, STDOUT_FILENO);  // EXPECT_EXIT reads only stderr.
    ShowFlags({"--version"});
  };
  EXPECT_EXIT(run(), ok_, "tarot-test 0\\.[0-9.]+ commit unknown");
}

TEST_F(ProcessDeathTest, WaitForStopReturnsForASignalThatCameEarlier) {
  const auto run = [](int signal) {
    char name[] = "tarot-test";
    char* argv[] = {name};
    InitProcess(1, argv, "test", {});
    ::kill(::getpid(), signal);
    WaitForStop();
    std::exit(0);
  };
  EXPECT_EXIT(run(SIGTERM), ok_, "stopping.*SIGTERM");
  EXPECT_EXIT(run(SIGINT), ok_, "stopping.*SIGINT");
}

}  // namespace
}  // namespace tarot::rpc
