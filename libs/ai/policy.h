// A player that decides from what its seat may know and from a seed, never from time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/base/rng.h"
#include "libs/rules/view.h"

namespace tarot::ai {

struct Decision {
  rules::Action action;
  std::uint64_t nodes = 0;  // Cards played in the search.
};

// Stateless and thread-safe: same view, seed and budget, same decision, on any machine.
class Policy {
 public:
  virtual ~Policy() = default;
  // `view.turn == view.viewer`. `node_budget` 0 takes the level's own.
  virtual Decision Choose(const rules::View& view, Rng rng, std::uint64_t node_budget) const = 0;
};

// Levels, weakest first: "novice", "club", "strong".
const std::vector<std::string>& Levels();

// nullptr for an unknown level; lives for ever.
const Policy* FindPolicy(absl::string_view level);

}  // namespace tarot::ai
