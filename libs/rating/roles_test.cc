#include "libs/rating/roles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tarot::rating {
namespace {

constexpr Role kT = Role::kTaker, kP = Role::kPartner, kD = Role::kDefender;
using Roles = std::vector<Role>;

// Gives the scores to the seats in every order. A taker may win or lose.
void ExpectRoles(const std::vector<int>& scores, const Roles& roles) {
  std::vector<std::size_t> order;
  for (std::size_t seat = 0; seat < scores.size(); ++seat) order.push_back(seat);
  do {
    for (const int sign : {1, -1}) {
      std::vector<int> mixed;
      Roles expected;
      for (const std::size_t seat : order) {
        mixed.push_back(sign * scores[seat]);
        expected.push_back(roles[seat]);
      }
      ASSERT_EQ(RolesOf(mixed), expected);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(RolesTest, FollowFromTheScores) {
  ExpectRoles({60, -30, -30}, {kT, kD, kD});
  ExpectRoles({90, -30, -30, -30}, {kT, kD, kD, kD});
  ExpectRoles({120, -30, -30, -30, -30}, {kT, kD, kD, kD, kD});
  ExpectRoles({60, 30, -30, -30, -30}, {kT, kP, kD, kD, kD});
}

TEST(RolesTest, AreUnknownForOtherScores) {
  EXPECT_FALSE(RolesOf({0, 0, 0, 0}));
  EXPECT_FALSE(RolesOf({0, 0, 0}));
  EXPECT_FALSE(RolesOf({100, -30, -30, -40}));
  EXPECT_FALSE(RolesOf({60, 30, -30, -60}));
  EXPECT_FALSE(RolesOf({30, 30, -20, -20, -20}));
  EXPECT_FALSE(RolesOf({90, -30, -30, -30, 0}));
  EXPECT_FALSE(RolesOf({30, -30, 0}));
}

}  // namespace
}  // namespace tarot::rating
