// Golden files: reviewed text that a test must reproduce.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace tarot::testkit {

// EXPECT_TRUE(MatchesGolden(TAROT_SOURCE_DIR "/tests/golden/perft.csv", actual));
// The failure tells the first line that differs. With TAROT_UPDATE_GOLDEN=1 in the environment the
// file is rewritten instead, for review as a diff.
testing::AssertionResult MatchesGolden(const std::string& path, const std::string& actual);

}  // namespace tarot::testkit
