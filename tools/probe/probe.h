// A player from outside. Each round signs in at the public door as a new guest, opens a private
// room with three bots, and plays a match of one deal there. The series of the probe show what this
// player saw. The services cannot show this, because they do not see a player who does not reach
// them.
#pragma once

#include <prometheus/registry.h>

#include <array>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/obs/metrics.h"

namespace tarot::probe {

// The steps of a round, in their order. The steps are also the values of a label of the series.
enum class Step {
  kSignIn,  // Connects to the door and signs in as a new guest.
  kRoom,    // Opens a room and puts bots into three of its seats.
  kTable,   // Starts the match and waits for its table.
  kDeal,    // Plays until the match is over.
};
inline constexpr std::array kSteps = {Step::kSignIn, Step::kRoom, Step::kTable, Step::kDeal};

// All time series of the probe.
struct Metrics {
  explicit Metrics(prometheus::Registry& registry);

  prometheus::Counter& rounds_ok;
  std::array<prometheus::Counter*, kSteps.size()> failures;
  std::array<prometheus::Histogram*, kSteps.size()> seconds;
  prometheus::Histogram& move_seconds;  // The time from a move to its answer, including repeated
                                        // calls.
  prometheus::Gauge& last_success;
};

// The arguments of a round. All referenced objects must outlive the round.
struct Environment {
  std::string address;  // The public door: host:port, or several ip:port, separated by commas.
  Metrics& metrics;
  Clock& clock;
  Scheduler& scheduler;
  Entropy& entropy;
  std::function<bool()> stopping;  // True if the round must end early.
};

inline constexpr absl::Duration kRoundMax = absl::Minutes(5);

// Plays one round, of at most kRoundMax, and counts its outcome. A lost call is repeated, as in
// every client. Returns the error of the step that failed. If `stopping` returned true, returns
// CANCELLED and counts nothing.
absl::Status PlayRound(const Environment& environment);

}  // namespace tarot::probe
