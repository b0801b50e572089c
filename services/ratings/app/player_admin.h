// PlayerAdmin does the work of PlayerAdminService: it keeps which tokens of players are revoked.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "services/ratings/app/rating_service.h"

namespace tarot::ratings_service {

// Thread-safe. Every method may return UNAVAILABLE STORAGE_AWAY or STORAGE_SLOW.
class PlayerAdmin {
 public:
  PlayerAdmin(RatingStore& store, Clock& clock) : store_(store), clock_(clock) {}

  // Stores a revocation; its `sequence` does not matter. Does nothing if its tokens have expired.
  // Returns INVALID_ARGUMENT BAD_REQUEST for a time of expiry above kRevocationLifeMax, and
  // UNAVAILABLE OVERLOADED if the store has kRevocationsMax revocations.
  absl::Status Revoke(const Revocation& revocation);

  // Returns the revocations with a sequence above `after`. `page_size` 0 means the maximum. Returns
  // INVALID_ARGUMENT BAD_REQUEST for a negative argument.
  absl::StatusOr<RevocationPage> ListRevocations(std::int64_t after, int page_size);

  // Removes the revocations whose tokens have all expired.
  absl::Status RemoveExpired();

 private:
  RatingStore& store_;
  Clock& clock_;
};

}  // namespace tarot::ratings_service
