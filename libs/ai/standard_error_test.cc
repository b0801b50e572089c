#include "libs/ai/standard_error.h"

#include <gtest/gtest.h>

#include <vector>

#include "libs/base/rng.h"

namespace tarot::ai {
namespace {

TEST(StandardErrorTest, NeedsTwentyWorlds) {
  EXPECT_FALSE(ErrorOfMean(std::vector<int>(19, 5), 100).has_value());
  EXPECT_EQ(ErrorOfMean(std::vector<int>(20, 5), 100), 0) << "all worlds agree";
}

TEST(StandardErrorTest, IsTheStandardErrorOfIndependentWorlds) {
  // The values -10 and 10 have the standard deviation 10, so the error of 400 worlds is 0.5.
  Rng rng(3);
  double sum = 0;
  for (int i = 0; i < 50; ++i) {
    std::vector<int> worlds(400);
    for (int& world : worlds) world = rng.Below(2) == 0 ? -10 : 10;
    sum += *ErrorOfMean(worlds, 100);
  }
  EXPECT_NEAR(sum / 50, 50, 5);
}

TEST(StandardErrorTest, IsLargerIfNeighboursResembleEachOther) {
  // Every ten neighbours are equal. So there are 40 different worlds and not 400.
  Rng rng(3);
  double sum = 0;
  for (int i = 0; i < 50; ++i) {
    std::vector<int> worlds(400);
    for (std::size_t k = 0; k < worlds.size(); ++k) {
      worlds[k] = k % 10 == 0 ? (rng.Below(2) == 0 ? -10 : 10) : worlds[k - 1];
    }
    sum += *ErrorOfMean(worlds, 100);
  }
  EXPECT_NEAR(sum / 50, 158, 20);
}

TEST(StandardErrorTest, AddsErrors) { EXPECT_EQ(ErrorOfSum(300, -400), 500); }

}  // namespace
}  // namespace tarot::ai
