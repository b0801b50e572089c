// The places of one ladder at one moment in the past. The code is pure.
#pragma once

#include <cstdint>
#include <vector>

#include "libs/rating/ranks.h"

namespace tarot::rating {

// The list stores a player's id only if another player has the same mu. So most places take only 8
// bytes.
class PastPlaces {
 public:
  // Adds the next place. The calls must go from the best place to the worst place.
  void Append(const PlaceKey& key);

  // Returns the rank, from 1, that a player with this key had.
  std::int64_t RankOf(const PlaceKey& key) const;

  std::int64_t size() const { return static_cast<std::int64_t>(mus_.size()); }

 private:
  std::vector<double> mus_;      // The mu of each place, from the best place to the worst.
  std::vector<PlaceKey> equal_;  // The keys that have the same mu as another key.
  PlaceKey last_;
  bool last_is_equal_ = false;  // True if `last_` is also in `equal_`.
};

}  // namespace tarot::rating
