// The places of one ladder at one moment in the past. The code is pure.
#pragma once

#include <cstdint>
#include <vector>

#include "libs/rating/ranks.h"

namespace tarot::rating {

// Most places take 8 bytes, because the list keeps a player's id only if another player has the
// same mu.
class PastPlaces {
 public:
  // Adds the next place. Call it from the best place to the worst.
  void Append(const PlaceKey& key);

  // Returns the rank, from 1, that a player with this key had.
  std::int64_t RankOf(const PlaceKey& key) const;

  std::int64_t size() const { return static_cast<std::int64_t>(mus_.size()); }

 private:
  std::vector<double> mus_;      // From the best to the worst.
  std::vector<PlaceKey> equal_;  // The keys that share their mu with another key.
  PlaceKey last_;
  bool last_is_equal_ = false;  // True if `last_` is in `equal_`.
};

}  // namespace tarot::rating
