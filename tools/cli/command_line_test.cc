#include "tools/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarot::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<OptionSpec> kSpecs = {{"queue"}, {"json", false}};

TEST(CommandLineTest, AcceptsOptionsAmongWords) {
  const auto line = ParseCommandLine({"a", "--queue", "q", "--json", "b", "--", "--c"}, kSpecs);
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_THAT(line->words, ElementsAre("a", "b", "--c"));
  EXPECT_EQ(line->Get("queue"), "q");
  EXPECT_TRUE(line->Has("json"));
  EXPECT_EQ(ParseCommandLine({"--queue=a=b"}, kSpecs)->Get("queue"), "a=b");
  EXPECT_EQ(ParseCommandLine({}, kSpecs)->Get("queue", "x"), "x");
}

TEST(CommandLineTest, RefusesBadOptionsByName) {
  EXPECT_THAT(ParseCommandLine({"--jason"}, kSpecs).status().message(), HasSubstr("--jason"));
  EXPECT_THAT(ParseCommandLine({"--queue"}, kSpecs).status().message(), HasSubstr("needs a value"));
  EXPECT_THAT(ParseCommandLine({"--json=1"}, kSpecs).status().message(), HasSubstr("no value"));
}

TEST(ExitCodeTest, DependsOnTheKindOfFailure) {
  EXPECT_EQ(ExitCodeFor(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCodeFor(absl::FailedPreconditionError("")), 1);
  EXPECT_EQ(ExitCodeFor(absl::UnavailableError("")), 3);
  EXPECT_EQ(ExitCodeFor(absl::DeadlineExceededError("")), 3);
  EXPECT_EQ(ExitCodeFor(absl::UnauthenticatedError("")), 4);
  EXPECT_EQ(ExitCodeFor(absl::NotFoundError("")), 5);
}

}  // namespace
}  // namespace tarot::cli
