// Who sits at a seat of the arena: one of our levels, or a program that speaks the engine protocol.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/rules/view.h"

namespace tarot::lab {

class Player {
 public:
  virtual ~Player() = default;
  // A deal begins, seen by `view.viewer`; `seed` is for its dice.
  virtual absl::Status NewDeal(const rules::View& view, std::uint64_t seed) = 0;
  // `view.turn == view.viewer`. The action need not be legal. Errors tell what the player did.
  virtual absl::StatusOr<rules::Action> Decide(const rules::View& view) = 0;
};

// `name` is a level, or else a command for the shell. A node budget of 0 leaves it to the player;
// `patience` is for each answer of a program. Errors: a program that does not introduce itself.
absl::StatusOr<std::unique_ptr<Player>> MakePlayer(const std::string& name,
                                                   std::uint64_t node_budget,
                                                   absl::Duration patience);

}  // namespace tarot::lab
