// Asks how strong players are; the answer arrives later.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "libs/base/ids.h"

namespace tarot::matchmaking_service {

using Ratings = absl::flat_hash_map<PlayerId, int>;  // In rating points.

class RatingClient {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<Ratings>)>;

  virtual ~RatingClient() = default;
  // `done` is called on any thread: late, or even never.
  virtual void GetRatings(const std::vector<PlayerId>& players, int player_count, Done done) = 0;
};

}  // namespace tarot::matchmaking_service
