// A player at a seat of the arena: a bot level, or a program that speaks the engine protocol.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/rules/view.h"

namespace tarot::lab {

class ArenaPlayer {
 public:
  virtual ~ArenaPlayer() = default;
  // Begins a deal, seen by `view.viewer`. `seed` is for the player's random numbers.
  virtual absl::Status NewDeal(const rules::View& view, std::uint64_t seed) = 0;
  // Returns an action. `view.turn == view.viewer` must hold. The action may be illegal. An error
  // names the player's fault.
  virtual absl::StatusOr<rules::Action> Decide(const rules::View& view) = 0;
};

// Makes a player. `name` is a level; any other name is a command for the shell. With a node budget
// of 0 the player uses its own budget. `patience` limits each answer of a program. Returns an error
// if the program does not introduce itself.
absl::StatusOr<std::unique_ptr<ArenaPlayer>> MakePlayer(const std::string& name,
                                                        std::uint64_t node_budget,
                                                        absl::Duration patience);

}  // namespace tarot::lab
