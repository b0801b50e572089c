// PlayerAdmin does the work of PlayerAdminService: it keeps which tokens of players are revoked,
// and knows the names of ranked players.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "services/ratings/app/rating_service.h"

namespace tarot::ratings_service {

struct NamePage {
  std::vector<std::string> names;
  std::string next_page_token;  // Empty on the last page.
};

// Thread-safe. Every method may return UNAVAILABLE STORAGE_AWAY or STORAGE_SLOW.
class PlayerAdmin {
 public:
  PlayerAdmin(RatingStore& store, Clock& clock) : store_(store), clock_(clock) {}

  // Stores a revocation; its `sequence` does not matter. Does nothing if its tokens have expired.
  // Returns INVALID_ARGUMENT BAD_REQUEST for a time of expiry above kRevocationLifeMax, and
  // UNAVAILABLE OVERLOADED if kRevocationsMax sequences passed since the oldest stored revocation.
  absl::Status Revoke(const Revocation& revocation);

  // Returns the revocations with a sequence above `after`. `page_size` 0 means the maximum. Returns
  // INVALID_ARGUMENT BAD_REQUEST for a negative argument.
  absl::StatusOr<RevocationPage> ListRevocations(std::int64_t after, int page_size);

  // Lists the names of the people whose last ranked match is at most kRankedNameLife old.
  // `page_size` 0 means the maximum. Returns INVALID_ARGUMENT BAD_REQUEST for a bad argument.
  absl::StatusOr<NamePage> ListRankedNames(int page_size, const std::string& page_token);

  // Removes the revocations whose tokens have all expired.
  absl::Status RemoveExpired();

 private:
  RatingStore& store_;
  Clock& clock_;
};

}  // namespace tarot::ratings_service
