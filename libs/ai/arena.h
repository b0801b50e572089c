// Where policies meet: random deals played to the end, and duplicate matches between two policies.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/ai/policy.h"

namespace tarot::ai {

// A shuffled deal, petit sec excepted: always one that is played.
rules::Deal RandomDeal(const rules::RuleSet& rules, int players, Rng& rng);

// Called for every decision before it is applied.
using Witness = void (*)(void* context, const rules::View& view, const Decision& decision);

// `policies` by seat. Dies when a policy answers with what the rules refuse.
void PlayToEnd(rules::Deal& deal, absl::Span<const Policy* const> policies, Rng& rng,
               std::uint64_t node_budget = 0, Witness witness = nullptr, void* context = nullptr);

struct Margin {
  double points = 0;      // A deal, to `one`.
  double half_width = 0;  // Of the 95 % interval.
};

// Each of `deals` is played once for every seat: `one` sits there, `rest` everywhere else. Nobody
// can be lucky with the cards.
Margin Duplicate(const rules::RuleSet& rules, int players, const Policy& one, const Policy& rest,
                 int deals, std::uint64_t seed, std::uint64_t node_budget = 0);

}  // namespace tarot::ai
