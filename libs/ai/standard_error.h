// Says how sure a search is that one action earns more points than another.
#pragma once

#include <optional>

#include "absl/types/span.h"

namespace tarot::ai {

// ErrorOfMean() needs at least this many worlds.
inline constexpr int kErrorGroups = 20;

// Returns the standard error of the mean of `differences`, times `unit`. The differences belong to
// successive worlds of one sampler, and neighbouring worlds may resemble each other. So the
// function divides the worlds into kErrorGroups groups of neighbours, and compares the means of the
// groups. Returns nullopt if there are fewer than kErrorGroups worlds. The error covers only the
// choice of the worlds: if all play-outs are wrong in the same way, the real error is larger.
std::optional<int> ErrorOfMean(absl::Span<const int> differences, int unit);

// Returns the standard error of the sum of two independent values.
int ErrorOfSum(int one, int other);

}  // namespace tarot::ai
