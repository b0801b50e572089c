// Compares text with golden files. A golden file has reviewed text that a test must reproduce
// exactly.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace tarot::testkit {

// Use it as EXPECT_TRUE(MatchesGolden(TAROT_SOURCE_DIR "/tests/golden/perft.csv", actual));
// A failure shows the first line that differs. If the environment has TAROT_UPDATE_GOLDEN=1, the
// function does not compare but writes `actual` to the file; then review the diff of the file.
testing::AssertionResult MatchesGolden(const std::string& path, const std::string& actual);

}  // namespace tarot::testkit
