#include "libs/rating/past_places.h"

#include <algorithm>
#include <functional>

namespace tarot::rating {

void PastPlaces::Append(const PlaceKey& key) {
  const bool equal = !mus_.empty() && mus_.back() == key.mu;
  if (equal && !last_is_equal_) equal_.push_back(last_);
  if (equal) equal_.push_back(key);
  mus_.push_back(key.mu);
  last_ = key;
  last_is_equal_ = equal;
}

std::int64_t PastPlaces::RankOf(const PlaceKey& key) const {
  const auto above = std::lower_bound(mus_.begin(), mus_.end(), key.mu, std::greater<>());
  // `begin` to `end` are the keys with the same mu that come before `key`.
  const auto begin = std::partition_point(equal_.begin(), equal_.end(),
                                          [&](const PlaceKey& each) { return each.mu > key.mu; });
  const auto end = std::lower_bound(begin, equal_.end(), key, std::greater<>());
  return (above - mus_.begin()) + (end - begin) + 1;
}

}  // namespace tarot::rating
