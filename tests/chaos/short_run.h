// Runs 25 seconds of faults on a small cluster, for tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/chaos/run.h"

namespace tarot::chaos {

// Runs three rules replicas behind two gateways, and expects that the checker finds nothing.
inline void ExpectNoFindings(std::uint64_t seed, std::vector<FaultKind> kinds,
                             bool network = false) {
  const std::string path = absl::StrCat(testing::TempDir(), "/chaos-", getpid());
  RunOptions options{.seed = seed,
                     .duration = absl::Seconds(25),
                     .heal = absl::Seconds(11),
                     .replicas = {{"rules", 3}, {"gateway", 2}},
                     .kinds = std::move(kinds),
                     .network = network,
                     .history = path + ".gz",
                     .logs = path + ".logs"};
  options.load.tables = 12;
  options.load.bots = 1;
  options.load.varied = true;
  const absl::StatusOr<RunResult> result = Run(options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->ok()) << Text(*result);
  EXPECT_GT(result->report.acknowledged, 200);
  EXPECT_FALSE(result->resume.at(kAllFaults).after_begin_s.empty());
  unlink(options.history.c_str());
}

}  // namespace tarot::chaos
