// The sampled worlds of one decision about the hand, and what it has spent on them.
#pragma once

#include "libs/ai/policy.h"
#include "libs/ai/sampler.h"

namespace tarot::ai {

class WorldLoop {
 public:
  // `view` and `request` outlive the loop; `request.node_budget` is not 0.
  WorldLoop(const rules::View& view, Rng rng, const Request& request, int worlds_max = 400);

  // Whether to look at one more world: at least one, however small the budget.
  bool Again();
  const World& Next();
  // Cards played; whoever plays them adds them here.
  std::uint64_t& nodes() { return decision_.nodes; }
  int worlds() const { return decision_.worlds; }

  // The mean in hundredths of a sum of points over the worlds so far.
  int Mean(std::int64_t points) const { return static_cast<int>(100 * points / worlds()); }

  // The best of `candidates`, the first of equals; there is at least one.
  Decision Answer(std::vector<Candidate> candidates);

 private:
  const Request& request_;
  const int worlds_max_;
  Sampler sampler_;
  Decision decision_;
};

}  // namespace tarot::ai
