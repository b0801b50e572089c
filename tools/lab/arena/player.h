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
  // Begins a deal. `view` is the view of the player's seat, and `seed` is for the player's random
  // numbers.
  virtual absl::Status NewDeal(const rules::View& view, std::uint64_t seed) = 0;
  // Returns an action for a view with `view.turn == view.viewer`. The action may be illegal.
  // Returns an error if the player ends, is late or answers nonsense.
  virtual absl::StatusOr<rules::Action> Decide(const rules::View& view) = 0;
};

// Makes a player. `name` is a level; any other name is a command for the shell. With a node budget
// of 0 the player uses its own budget. A program must give each answer within `patience`. Returns
// an error if the program does not answer "tarotok" to "tarot".
absl::StatusOr<std::unique_ptr<ArenaPlayer>> MakePlayer(const std::string& name,
                                                        std::uint64_t node_budget,
                                                        absl::Duration patience);

}  // namespace tarot::lab
