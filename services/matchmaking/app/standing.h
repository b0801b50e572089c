// The standing of a person decides whether the person may get a ranked ticket. It has the number of
// matches played to the end, and the penalty for leaving ranked matches. The code is pure.
#pragma once

#include "absl/time/time.h"

namespace tarot::matchmaking_service {

// The record of one person. It counts matches of queues only, because the matches of a room have
// any length.
struct Standing {
  int finished_count = 0;  // Matches that the person has played to the end.
  // Leaves of ranked matches that still count. A leave counts 1, or 1/2 (EndOfMatch).
  double leave_steps = 0;
  absl::Time leave_time = absl::InfinitePast();  // The time of the last leave.
  // Matches played to the end since the last leave, or since a leave was last forgiven.
  int finished_since = 0;
  // The person gets no ranked ticket before this time.
  absl::Time penalty_end = absl::InfinitePast();

  friend bool operator==(const Standing&, const Standing&) = default;
};

// How a match ended for one of its persons.
enum class EndOfMatch {
  kFinished,
  kLeftCasual,  // The person left a casual match, so no rating changes.
  // The person left a ranked match, and another person stayed to the end.
  kLeftOthers,
  // No person stayed to the end of the ranked match. The network has probably failed, or the match
  // had no other person. The leave has harmed no person, so it counts half.
  kLeftWithAll,
};

// Returns the standing after a match that ended at `now`. A leave of a ranked match gives a penalty
// of 10 minutes. Each repeat within a week makes the penalty three times as long, up to 48 hours.
// Ten matches that the person plays to the end forgive one leave.
Standing AfterMatch(Standing standing, EndOfMatch end, absl::Time now);

}  // namespace tarot::matchmaking_service
