// The matcher before it had flat arrays. It sorts by comparison and copies lists, so it is slow but
// easy to check. Tests compare MakeTables() with it.
#pragma once

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/matching/matcher.h"

namespace tarot::matching {

// Returns the same tables and the same waiting tickets as MakeTables() with the same arguments.
MatchWave ReferenceTables(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                          absl::Duration block_wait = absl::InfiniteDuration());

}  // namespace tarot::matching
