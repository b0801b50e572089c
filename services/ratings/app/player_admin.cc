#include "services/ratings/app/player_admin.h"

#include <algorithm>

#include "libs/base/error.h"
#include "services/ratings/app/errors.h"
#include "services/ratings/limits.h"

namespace tarot::ratings_service {

absl::Status PlayerAdmin::Revoke(const Revocation& revocation) {
  const absl::Time now = clock_.Now();
  if (revocation.expire_time > now + kRevocationLifeMax) return error::RevocationTooLong();
  if (revocation.expire_time <= now) return absl::OkStatus();
  TAROT_ASSIGN_OR_RETURN(const bool stored, store_.Revoke(revocation, kRevocationsMax));
  return stored ? absl::OkStatus() : error::TooManyRevocations();
}

absl::StatusOr<RevocationPage> PlayerAdmin::ListRevocations(std::int64_t after, int page_size) {
  if (after < 0) return error::SequenceNegative();
  if (page_size < 0) return error::PageSizeNegative();
  const int limit = page_size == 0 ? kRevocationPageMax : std::min(page_size, kRevocationPageMax);
  return store_.ListRevocations(after, limit);
}

absl::Status PlayerAdmin::RemoveExpired() {
  while (true) {
    TAROT_ASSIGN_OR_RETURN(const int removed,
                           store_.RemoveRevocations(clock_.Now(), kRevocationsPerRemoval));
    if (removed < kRevocationsPerRemoval) return absl::OkStatus();
  }
}

}  // namespace tarot::ratings_service
