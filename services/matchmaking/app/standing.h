// Defines the standing of a person: how many matches the person has finished, and the penalty for
// leaving ranked matches. The standing decides whether the person may get a ranked ticket. The code
// is pure: it only computes results from its arguments.
#pragma once

#include "absl/time/time.h"

namespace tarot::matchmaking_service {

// The standing of one person. Only matches of queues count, because the host of a room chooses how
// long its matches are.
struct Standing {
  int finished_count = 0;  // Matches that the person has played to the end.
  // How often the person has left a ranked match, without the leaves that are forgiven. A leave
  // counts 1, or 1/2 if EndOfMatch is kLeftWithAll.
  double leave_steps = 0;
  absl::Time leave_time = absl::InfinitePast();  // The time of the last leave.
  // The number of matches played to the end. The count begins at the last leave, or later when ten
  // matches have forgiven a leave.
  int finished_since = 0;
  // The person gets no ranked ticket until this time.
  absl::Time penalty_end = absl::InfinitePast();

  friend bool operator==(const Standing&, const Standing&) = default;
};

// How a match ended for one of its persons.
enum class EndOfMatch {
  kFinished,
  kLeftCasual,  // The person left a casual match. Such a leave changes no rating.
  // The person left a ranked match, and another person stayed to the end.
  kLeftOthers,
  // No person stayed to the end of the ranked match. Either the network has probably failed, or the
  // match had no other person. No other person has suffered from this leave, so it counts half.
  kLeftWithAll,
};

// Returns the standing after a match that ended at `now`. A leave of a ranked match gives a penalty
// of 10 min * 3^(leave_steps - 1), at most 48 hours. After a week without a leave, `leave_steps`
// begins again at zero. Ten matches that the person plays to the end forgive one leave.
Standing AfterMatch(Standing standing, EndOfMatch end, absl::Time now);

}  // namespace tarot::matchmaking_service
