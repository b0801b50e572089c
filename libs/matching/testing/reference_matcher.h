// The matcher before it had flat arrays. It sorts by comparison and copies lists, so it is slow but
// easy to check. Tests compare MakeTables() with it.
#pragma once

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/matching/matcher.h"

namespace tarot::matching {

enum class ReferenceRules {
  kCurrent,  // The rules of MakeTables().
  // The first rules. A window is 100 points plus 4 for each second, at most 600, whatever the other
  // ratings are. Only the last table of a player counts: if all players of a table share it, they
  // need windows that are 200 points wider than the spread, unless only one of them is a person.
  kFirst,
  // The windows of MakeTables(), and the first rule for players who met.
  kFirstMeetings,
};

// With the current rules, returns the same tables and waiting tickets as MakeTables() with the same
// arguments.
MatchWave ReferenceTables(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                          absl::Duration block_wait = absl::InfiniteDuration(),
                          ReferenceRules rules = ReferenceRules::kCurrent);

}  // namespace tarot::matching
