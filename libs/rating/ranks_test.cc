#include "libs/rating/ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "libs/base/rng.h"

namespace tarot::rating {
namespace {

PlayerId Player(int number) {
  std::array<std::uint8_t, 16> bytes{};
  bytes[0] = static_cast<std::uint8_t>(number * 37);
  bytes[1] = static_cast<std::uint8_t>(number >> 8);
  bytes[2] = static_cast<std::uint8_t>(number);
  bytes[15] = 1;
  return PlayerId{Uuid(bytes)};
}

// A simple implementation: it keeps all places in a map, and sorts them again for each answer.
class PlainRanks {
 public:
  void Set(const PlaceKey& key, std::uint32_t end) { places_[key.player] = {key.mu, end}; }
  void Erase(PlayerId player) { places_.erase(player); }
  void EraseEnded(std::uint32_t now) {
    std::erase_if(places_, [&](const auto& place) { return place.second.second <= now; });
  }
  std::vector<PlaceKey> Sorted() const {
    std::vector<PlaceKey> keys;
    for (const auto& [player, place] : places_) keys.push_back({place.first, player});
    std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a > b; });
    return keys;
  }

 private:
  std::map<PlayerId, std::pair<double, std::uint32_t>> places_;
};

void ExpectEqual(const Ranks& ranks, const PlainRanks& plain, Rng& rng) {
  const std::vector<PlaceKey> keys = plain.Sorted();
  const auto size = static_cast<std::int64_t>(keys.size());
  ASSERT_EQ(ranks.size(), size);
  const std::vector<Ranks::Ranked> all = ranks.Range(1, size);
  ASSERT_EQ(all.size(), keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(all[i].key, keys[i]);
    ASSERT_EQ(all[i].rank, static_cast<std::int64_t>(i) + 1);
    ASSERT_EQ(ranks.CountAbove(keys[i]), static_cast<std::int64_t>(i));
    ASSERT_EQ(ranks.Find(keys[i].player), keys[i]);
  }
  // The test also asks for keys that are not in the list, and for ranges that begin before the list
  // or end after it.
  const PlaceKey key{.mu = rng.Below(10) - 5.0, .player = Player(rng.Below(1000))};
  ASSERT_EQ(ranks.CountAbove(key),
            std::count_if(keys.begin(), keys.end(), [&](const auto& k) { return k > key; }));
  const std::int64_t first = rng.Below(static_cast<int>(size) + 4) - 1;
  const std::int64_t last = first + rng.Below(7) - 1;
  const std::vector<Ranks::Ranked> part = ranks.Range(first, last);
  const std::int64_t from = std::max<std::int64_t>(first, 1);
  ASSERT_EQ(static_cast<std::int64_t>(part.size()),
            std::max<std::int64_t>(0, std::min(last, size) - from + 1));
  if (!part.empty()) {
    ASSERT_EQ(part.front().key, keys[static_cast<std::size_t>(from - 1)]);
  }
}

// Changes the places at random, and compares all answers with those of a plain sort. Half of the
// changes choose mu among ten numbers, so many players have the same mu.
void Compare(Ranks& ranks, int players, int steps, int check_each, std::uint64_t seed) {
  Rng rng(seed);
  PlainRanks plain;
  std::uint32_t now = 1000;
  for (int step = 0; step < steps; ++step) {
    // The list grows and shrinks in turn, so that leaves and blocks are split and merged.
    const bool shrinks = step / (2 * players) % 2 == 1;
    const PlayerId player = Player(rng.Below(players));
    if (rng.Below(10) < (shrinks ? 8 : 2)) {
      ranks.Erase(player);
      plain.Erase(player);
    } else {
      const double mu = rng.Below(2) == 0 ? rng.Below(10) - 5 : rng.Below(1'000'000) / 1e5 - 5;
      const std::uint32_t end = now + 1 + static_cast<std::uint32_t>(rng.Below(2 * players));
      ranks.Set({mu, player}, end);
      plain.Set({mu, player}, end);
    }
    if (rng.Below(8) == 0) {
      now += static_cast<std::uint32_t>(rng.Below(5));
      ranks.EraseEnded(now);
      plain.EraseEnded(now);
    }
    if (step % check_each == 0) {
      ASSERT_NO_FATAL_FAILURE(ExpectEqual(ranks, plain, rng))
          << "seed " << seed << " step " << step;
    }
  }
}

TEST(RanksTest, EqualsPlainSortWithSmallLeaves) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Ranks ranks(/*leaf_keys_max=*/2 + seed % 3, /*block_leaves_max=*/2 + seed % 4);
    ASSERT_NO_FATAL_FAILURE(Compare(ranks, /*players=*/60, /*steps=*/1000, 1, seed));
  }
}

TEST(RanksTest, EqualsPlainSortWithManyPlayers) {
  Ranks ranks;
  Compare(ranks, /*players=*/20'000, /*steps=*/120'000, /*check_each=*/10'000, 1);
}

TEST(RanksTest, KeepsPlaceUntilItsEnd) {
  Ranks ranks;
  ranks.Set({1, Player(1)}, 100);
  ranks.Set({2, Player(2)}, 200);
  ranks.EraseEnded(99);
  EXPECT_EQ(ranks.size(), 2);
  ranks.Set({1, Player(1)}, 300);  // After a new result, the player keeps the place for longer.
  ranks.EraseEnded(200);
  EXPECT_EQ(ranks.CountAbove({1, Player(1)}), 0);
  EXPECT_EQ(ranks.size(), 1);
  // After a new result, the player may also lose the place earlier than before.
  ranks.Set({1, Player(1)}, 250);
  ranks.EraseEnded(250);
  EXPECT_EQ(ranks.size(), 0);
  EXPECT_EQ(ranks.CountAbove({0, Player(3)}), 0);
  EXPECT_TRUE(ranks.Range(1, 10).empty());
}

}  // namespace
}  // namespace tarot::rating
