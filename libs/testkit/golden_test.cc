#include "libs/testkit/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace tarot::testkit {
namespace {

class GoldenTest : public testing::Test {
 protected:
  ~GoldenTest() override { ::unsetenv("TAROT_UPDATE_GOLDEN"); }

  const std::string path_ = testing::TempDir() + "golden_test_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt";
};

TEST_F(GoldenTest, ShowsTheFirstLineThatDiffers) {
  std::ofstream(path_) << "one\ntwo\nthree\n";
  EXPECT_TRUE(MatchesGolden(path_, "one\ntwo\nthree\n"));
  const testing::AssertionResult result = MatchesGolden(path_, "one\n2\n3\n");
  EXPECT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find(":2: golden file differs"), std::string::npos);
  EXPECT_NE(std::string(result.message()).find("actual: 2"), std::string::npos);
}

TEST_F(GoldenTest, DetectsAShorterText) {
  std::ofstream(path_) << "one\ntwo";
  EXPECT_FALSE(MatchesGolden(path_, "one"));
}

TEST_F(GoldenTest, FailsWithoutAFileUntilItIsWritten) {
  std::remove(path_.c_str());
  EXPECT_FALSE(MatchesGolden(path_, "one\n"));
  ::setenv("TAROT_UPDATE_GOLDEN", "1", 1);
  EXPECT_TRUE(MatchesGolden(path_, "one\n"));
  ::unsetenv("TAROT_UPDATE_GOLDEN");
  EXPECT_TRUE(MatchesGolden(path_, "one\n"));
}

}  // namespace
}  // namespace tarot::testkit
