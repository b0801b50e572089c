#include "services/ratings/app/player_admin.h"

#include <algorithm>
#include <optional>

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

absl::StatusOr<NamePage> PlayerAdmin::ListRankedNames(int page_size,
                                                      const std::string& page_token) {
  if (page_size < 0) return error::PageSizeNegative();
  const int limit = page_size == 0 ? kNamePageMax : std::min(page_size, kNamePageMax);
  // The token is the id of the last player of the page before.
  const std::optional<PlayerId> after =
      page_token.empty() ? PlayerId() : PlayerId::Parse(page_token);
  if (!after) return error::PageTokenInvalid();
  TAROT_ASSIGN_OR_RETURN(const std::vector<RankedName> ranked,
                         store_.ListRankedNames(*after, clock_.Now() - kRankedNameLife, limit));
  NamePage page;
  for (const RankedName& each : ranked) page.names.push_back(each.display_name);
  if (static_cast<int>(ranked.size()) == limit) {
    page.next_page_token = ranked.back().player.ToString();
  }
  return page;
}

absl::Status PlayerAdmin::RemoveExpired() {
  while (true) {
    TAROT_ASSIGN_OR_RETURN(const int removed,
                           store_.RemoveRevocations(clock_.Now(), kRevocationsPerRemoval));
    if (removed < kRevocationsPerRemoval) return absl::OkStatus();
  }
}

}  // namespace tarot::ratings_service
