#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "libs/base/entropy.h"
#include "libs/base/real_clock.h"
#include "tools/tarotctl/commands/commands.h"

namespace tarot::tarotctl {
namespace {

using ::testing::HasSubstr;

constexpr char kTrace[] = "4bf92f3577b34da6a3ce929d0e0e4736";

class TraceTest : public testing::Test {
 protected:
  std::string Log(const std::string& name, const std::string& text) {
    const std::string path = absl::StrCat(testing::TempDir(), "/", name, ".", getpid(), ".log");
    std::ofstream(path) << text;
    return path;
  }
  int Run(std::vector<std::string> args) {
    args.insert(args.begin(), "trace");
    return cli::Run(
        Tarotctl(), args,
        {.out = out_, .err = err_, .clock = clock_, .scheduler = scheduler_, .entropy = entropy_});
  }

  RealClock clock_;
  RealScheduler scheduler_;
  SeededEntropy entropy_{1};
  std::ostringstream out_, err_;
};

TEST_F(TraceTest, PrintsTheHopsInTheOrderOfTheirStarts) {
  const std::string rules = Log(
      "rules",
      absl::StrCat("{\"time\":\"2026-11-26T10:00:00.300000Z\",\"level\":\"warning\",\"service\":"
                   "\"rules\",\"message\":\"call was slow\",\"method\":\"a.B/Submit\",\"table\":"
                   "\"tables/7\",\"trace_id\":\"",
                   kTrace,
                   "\",\"code\":\"OK\",\"waited_seconds\":\"0.05\",\"seconds\":\"0.26\"}\n"
                   "{\"time\":\"2026-11-26T10:00:01Z\",\"message\":\"half a line ",
                   kTrace, "\n"));
  const std::string gateway = Log(
      "gateway",
      absl::StrCat("{\"time\":\"2026-11-26T10:00:00.310000Z\",\"level\":\"warning\",\"service\":"
                   "\"gateway\",\"message\":\"call was slow\",\"method\":\"a.B/Submit\","
                   "\"trace_id\":\"",
                   kTrace,
                   "\",\"code\":\"OK\",\"upstream\":\"rules\",\"upstream_seconds\":\"0.27\","
                   "\"seconds\":\"0.3\"}\n"));
  ASSERT_EQ(Run({kTrace, rules, gateway}), 0) << err_.str();
  EXPECT_EQ(out_.str(),
            "     +0.0 ms  gateway      a.B/Submit\n"
            "               OK in 300.0 ms, 270.0 ms in rules\n"
            "    +30.0 ms  rules        a.B/Submit\n"
            "               OK in 260.0 ms, 50.0 ms before it began to work, tables/7\n");
}

TEST_F(TraceTest, SaysThatNoFileHasTheTrace) {
  EXPECT_EQ(Run({kTrace, Log("other", "{\"trace_id\":\"0\"}\n")}), 5);
  EXPECT_THAT(err_.str(), HasSubstr("no line of these files has the trace"));
}

TEST_F(TraceTest, RefusesAMalformedIdAndAMissingFile) {
  EXPECT_EQ(Run({"4bf9", "x.log"}), 2);
  EXPECT_EQ(Run({"4BF92F3577B34DA6A3CE929D0E0E4736", "x.log"}), 2);
  EXPECT_NE(Run({kTrace, "/nowhere.log"}), 0);
  EXPECT_THAT(err_.str(), HasSubstr("/nowhere.log"));
}

}  // namespace
}  // namespace tarot::tarotctl
