#include "libs/rating/past_places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "libs/base/rng.h"

namespace tarot::rating {
namespace {

PlaceKey Key(double mu, int player) {
  std::array<std::uint8_t, 16> bytes{};
  bytes[15] = static_cast<std::uint8_t>(player);
  return {.mu = mu, .player = PlayerId{Uuid(bytes)}};
}

TEST(PastPlacesTest, HasNoPlaceAtFirst) {
  const PastPlaces places;
  EXPECT_EQ(places.size(), 0);
  EXPECT_EQ(places.RankOf(Key(3, 1)), 1);
}

// Many keys share their mu.
TEST(PastPlacesTest, RanksLikeAPlainSort) {
  Rng rng(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<PlaceKey> keys;
    for (int player = 1; player <= 100; ++player) keys.push_back(Key(rng.Below(40) / 8.0, player));
    std::sort(keys.begin(), keys.end(), std::greater<>());
    PastPlaces places;
    for (const PlaceKey& key : keys) places.Append(key);
    ASSERT_EQ(places.size(), 100);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(places.RankOf(keys[i]), static_cast<std::int64_t>(i) + 1);
    }
  }
}

}  // namespace
}  // namespace tarot::rating
