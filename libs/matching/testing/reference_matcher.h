// An older version of the matcher. It sorts by comparison and copies lists, so it is slow, but easy
// to check. Tests compare MakeTables() with this version.
#pragma once

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/matching/matcher.h"

namespace tarot::matching {

enum class ReferenceRules {
  kCurrent,  // The rules of MakeTables().
  // The rules of the first matcher. A window is min(600, 100 + 4 * s) points after a wait of s
  // seconds, whatever the other ratings are. If all players of a table sat together at their last
  // table, their windows must exceed the spread by 200 points. This rule does not apply if exactly
  // one of the players is a person.
  kFirst,
  // The windows are those of MakeTables(). For players who met, the rule is that of kFirst.
  kFirstMeetings,
};

// With the current rules, returns the same tables and waiting tickets as MakeTables() with the same
// arguments.
MatchWave ReferenceTables(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                          absl::Duration block_wait = absl::InfiniteDuration(),
                          ReferenceRules rules = ReferenceRules::kCurrent,
                          const RoundTrips& round_trips = {});

}  // namespace tarot::matching
