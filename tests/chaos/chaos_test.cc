// Half a minute of faults on a whole cluster, and the checker finds nothing. Longer: tools/dev
// chaos. The faults of the network need root, so the long runs have them.
#include <gtest/gtest.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "tests/chaos/run.h"

namespace tarot::chaos {
namespace {

TEST(ChaosTest, NothingIsLostDoubledLeakedOrStuck) {
  RunOptions options{.seed = 4,
                     .duration = absl::Seconds(25),
                     .heal = absl::Seconds(11),
                     .replicas = {{"rules", 3}, {"gateway", 2}},
                     .kinds = {FaultKind::kKill, FaultKind::kTerm, FaultKind::kStop,
                               FaultKind::kClock, FaultKind::kPgKill, FaultKind::kPgTerminate,
                               FaultKind::kPgCut, FaultKind::kPgDelay, FaultKind::kPgFreeze},
                     .history = absl::StrCat(testing::TempDir(), "/chaos-", getpid(), ".gz"),
                     .logs = absl::StrCat(testing::TempDir(), "/chaos-", getpid(), ".logs")};
  options.load.tables = 12;
  options.load.bots = 1;
  options.load.varied = true;
  const absl::StatusOr<RunResult> result = chaos::Run(options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->ok()) << Text(*result);
  EXPECT_GT(result->report.acknowledged, 200);
  EXPECT_FALSE(result->resume.at(kAllFaults).after_begin_s.empty());
  unlink(options.history.c_str());
}

}  // namespace
}  // namespace tarot::chaos
