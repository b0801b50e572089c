// An older version of the matcher. It sorts by comparison and copies lists, so it is slow but easy
// to check. Tests compare MakeTables() with it.
#pragma once

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/matching/matcher.h"

namespace tarot::matching {

enum class ReferenceRules {
  kCurrent,  // The rules of MakeTables().
  // The rules of the first matcher. A window is 100 points plus 4 for each second, at most 600,
  // whatever the other ratings are. If all players of a table sat together at their last table and
  // two or more of them are people, their windows must be 200 points wider than the spread.
  kFirst,
  // The windows are as in MakeTables(). For players who met, the rule of `kFirst` holds.
  kFirstMeetings,
};

// With the current rules, returns the same tables and waiting tickets as MakeTables() with the same
// arguments.
MatchWave ReferenceTables(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                          absl::Duration block_wait = absl::InfiniteDuration(),
                          ReferenceRules rules = ReferenceRules::kCurrent);

}  // namespace tarot::matching
