// Tests that the checker finds each planted fault of plants.py. If the checker missed faults, a
// chaos run without findings would prove nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "tests/chaos/run.h"

namespace tarot::chaos {
namespace {

// Runs a cluster where the binaries of `services` have the fault, and returns the kinds of
// findings.
std::vector<std::string> FoundWith(const std::string& fault,
                                   const std::vector<std::string>& services,
                                   const std::vector<FaultKind>& kinds, int tables = 24,
                                   absl::Duration duration = absl::Seconds(14)) {
  RunOptions options{.seed = 1,
                     .duration = duration,
                     .heal = absl::Seconds(1),
                     .outbox_max = absl::Seconds(3),
                     .kinds = kinds,
                     .history = absl::StrCat(testing::TempDir(), "/", fault, "-", getpid(), ".gz")};
  for (const std::string& service : services) {
    options.binaries[service] = absl::StrCat("tarot-", service, "-", fault);
  }
  options.load.tables = tables;
  options.load.think = absl::Milliseconds(60);
  options.load.drop_rate = 0.1;
  const absl::StatusOr<RunResult> result = chaos::Run(options);
  unlink(options.history.c_str());
  std::vector<std::string> found;
  if (!result.ok()) {
    ADD_FAILURE() << result.status();
    return found;
  }
  for (const auto& [kind, what] : result->report.findings) found.push_back(kind);
  std::fputs(Text(*result).c_str(), stderr);
  return found;
}

TEST(CanaryTest, FindsAcknowledgementBeforeTheCommit) {
  EXPECT_THAT(FoundWith("acknowledge_early", {"rules"}, {FaultKind::kPgTerminate}),
              testing::Contains("lost"));
}

TEST(CanaryTest, FindsForgottenRequests) {
  EXPECT_THAT(FoundWith("forget_requests", {"rules"}, {FaultKind::kPgCut}),
              testing::Contains("refused"));
}

TEST(CanaryTest, FindsViewsBeforeTheCommit) {
  EXPECT_THAT(FoundWith("show_early", {"rules"}, {FaultKind::kPgTerminate, FaultKind::kPgKill}),
              testing::Contains("view"));
}

TEST(CanaryTest, FindsACardOfAnotherSeat) {
  EXPECT_THAT(FoundWith("show_a_card", {"rules"}, {FaultKind::kPgDelay}),
              testing::Contains("hidden card"));
}

// This run has fewer tables and more time. So matches end even on a busy machine.
TEST(CanaryTest, FindsMatchesRatedTwice) {
  EXPECT_THAT(
      FoundWith("rate_twice", {"rules", "ratings"}, {FaultKind::kPgDelay}, 2, absl::Seconds(25)),
      testing::Contains("rated"));
}

}  // namespace
}  // namespace tarot::chaos
