// Measures how often bots commit the faults of libs/ai/faults.h: in deals that they play, and in a
// suite of positions in which a bot once committed a fault.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/ai/faults.h"
#include "libs/ai/policy.h"

namespace tarot::lab {

struct FaultCount {
  int chances = 0;  // Decisions in which some legal action is this fault.
  int faults = 0;   // Decisions in which the bot committed this fault.
};
// Indexed by ai::Fault.
using FaultCounts = std::array<FaultCount, ai::kFaultCount>;

// Plays deals under the rules of the FFT until `taken` deals had a taker. Every seat plays by
// `policy`. Counts the faults of all decisions. `node_budget` 0 means the level's own budget.
FaultCounts CountFaults(const ai::Policy& policy, int players, int taken, std::uint64_t seed,
                        std::uint64_t node_budget);

// A position of the suite: a view of a seat that is in turn.
struct FaultPosition {
  ai::Fault fault = ai::Fault::kCount;  // The fault that a bot committed in this position.
  // "solver" if the open-hand solver proved that a right action gains more points than the fault,
  // as a mean over sampled hands. "club" if club players would not commit the fault, and play-outs
  // do not show that it gains.
  std::string judge;
  rules::View view;
  std::vector<rules::Action> right;  // The actions that count as right.
};

// Reads positions from the text form of WriteFaultPosition(). Errors are INVALID_ARGUMENT.
absl::StatusOr<std::vector<FaultPosition>> ReadFaultPositions(absl::string_view text);

// Returns a line with the fault, the judge and the right actions, and then the view as TDN.
std::string WriteFaultPosition(const FaultPosition& position);

// Returns whether `policy` chooses a right action with its own budget.
bool PlaysRight(const ai::Policy& policy, const FaultPosition& position);

// Lets `player` play deals, and asks `judge` about each of its faults. Returns the positions in
// which the judge does not show that the fault gains: at most `each` positions of each fault.
// `deals` deals are played for each number of players.
std::vector<FaultPosition> FindFaultPositions(const ai::Policy& player, std::uint64_t node_budget,
                                              const ai::Policy& judge, int deals, int each,
                                              std::uint64_t seed);

}  // namespace tarot::lab
