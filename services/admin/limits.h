// The limits of the admin service, with units and reasons.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::admin_service {

// The maximum number of calls that wait for a worker. There are only a few operators.
inline constexpr int kWorkerQueueMax = 64;

// The service asks its database at this interval. If the database has not answered for
// kAnswerAgeMax, the service is not ready.
inline constexpr absl::Duration kDatabaseCheckInterval = absl::Seconds(1);
inline constexpr absl::Duration kAnswerAgeMax = absl::Seconds(5);

// Time limit of a call to another service.
inline constexpr absl::Duration kUpstreamTimeout = absl::Seconds(20);
// Time limit of LadderAdminService.Recompute. A recomputation of a hundred million matches takes
// less than an hour.
inline constexpr absl::Duration kRecomputeTimeout = absl::Hours(2);

// A gateway knows a new ban or revocation after this time at the latest: it asks every 2 s, and a
// call may take 3 s.
inline constexpr absl::Duration kRevocationReachesGateways = absl::Seconds(5);

// The tokens of a deleted player are refused for this time. No token of a gateway lives longer.
inline constexpr absl::Duration kTokensRevokedFor = absl::Hours(366 * 24);

// Maximum number of bytes of the reason of a call. A longer reason is refused.
inline constexpr std::size_t kWhyBytesMax = 1'000;
// Maximum number of bytes of the other fields of the request, as JSON. If they are longer, the
// store gets only their size.
inline constexpr std::size_t kDetailsBytesMax = 2'000;

// Maximum number of flags in one request, of deals in one flag, and of bytes in the text of one
// deal.
inline constexpr int kFlagsPerRequestMax = 1'000;
inline constexpr int kEvidenceMax = 20;
inline constexpr std::size_t kEvidenceBytesMax = 300;
// Maximum number of calls or flags in one answer.
inline constexpr int kPageMax = 100;
// Maximum number of players that the search for a name in a flag returns.
inline constexpr int kNamesakesMax = 100;

}  // namespace tarot::admin_service
