// Lets policies play random deals. In a duplicate match, one policy plays each deal once from every
// seat, against another policy.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/ai/policy.h"

namespace tarot::ai {

// Returns a shuffled deal that is not cancelled by a petit sec.
rules::Deal RandomDeal(const rules::RuleSet& rules, int players, Rng& rng);

// The arena calls this function for every decision, before it applies the decision. `context` is
// the pointer that the caller of PlayToEnd() gave.
using Witness = void (*)(void* context, const rules::View& view, const Decision& decision);

// Plays `deal` to its end. `policies` is indexed by seat. If `node_budget` is 0, each level uses
// its own budget. The program dies if a policy returns an illegal action.
void PlayToEnd(rules::Deal& deal, absl::Span<const Policy* const> policies, Rng& rng,
               std::uint64_t node_budget = 0, Witness witness = nullptr, void* context = nullptr);

struct Margin {
  double points = 0;      // The mean score per deal of the policy `one`.
  double half_width = 0;  // Half the width of the 95 % confidence interval of `points`.
};

// Plays `deals` random deals, each of them once for every seat. The policy `one` sits at that seat,
// and `rest` sits at all other seats. So `one` and `rest` get the same cards equally often.
Margin Duplicate(const rules::RuleSet& rules, int players, const Policy& one, const Policy& rest,
                 int deals, std::uint64_t seed, std::uint64_t node_budget = 0);

}  // namespace tarot::ai
