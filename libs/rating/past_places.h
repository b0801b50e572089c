// The places of one ladder at one moment in the past. The code is pure.
#pragma once

#include <cstdint>
#include <vector>

#include "libs/rating/ranks.h"

namespace tarot::rating {

// Takes 8 bytes a place, because only players with the same mu need their ids.
class PastPlaces {
 public:
  // Adds the next place. Call it from the best place to the worst.
  void Append(const PlaceKey& key);

  // Returns the rank that a place with this key had, from 1.
  std::int64_t RankOf(const PlaceKey& key) const;

  std::int64_t size() const { return static_cast<std::int64_t>(mus_.size()); }

 private:
  std::vector<double> mus_;      // Falling.
  std::vector<PlaceKey> equal_;  // The keys that share their mu with another key, falling.
  PlaceKey last_;
  bool last_is_equal_ = false;  // True if `last_` is in `equal_`.
};

}  // namespace tarot::rating
