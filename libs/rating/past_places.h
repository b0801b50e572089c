// The places of one ladder at one moment in the past. The code is pure.
#pragma once

#include <cstdint>
#include <vector>

#include "libs/rating/ranks.h"

namespace tarot::rating {

// A place takes 8 bytes, because the list keeps the ids only of players with the same mu.
class PastPlaces {
 public:
  // Adds the next place. Call it from the best place to the worst.
  void Append(const PlaceKey& key);

  // Returns the rank, from 1, that a player with this key had.
  std::int64_t RankOf(const PlaceKey& key) const;

  std::int64_t size() const { return static_cast<std::int64_t>(mus_.size()); }

 private:
  std::vector<double> mus_;      // Falling.
  std::vector<PlaceKey> equal_;  // The keys that share their mu with another key, falling.
  PlaceKey last_;
  bool last_is_equal_ = false;  // True if `last_` is in `equal_`.
};

}  // namespace tarot::rating
