// Random play-outs of many deals at once, one in each 16-bit lane of the processor's vectors.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/rules/playout.h"

namespace tarot::rules {

// Which instructions may be used: kPortable runs everywhere, the others where CanRun().
enum class LockstepCode : std::uint8_t { kPortable, kAvx2, kAvx512 };
bool CanRun(LockstepCode code);

// The cards of each world in the order of play.
using PlayedCards = std::vector<std::vector<Card>>;

// Plays every one of `worlds` to the end, as PlayAtRandom() does: each legal card of a seat equally
// likely (to one part in 2^16), whatever was played before. All have the same number of players; it
// is fast where they also have the same number of tricks to come. What CountPlayout() reads is
// filled in, the rest of a Playout is not. The fastest code that this processor can run; the same
// cards whichever that is. `played`, when given, gets one list for each world.
void PlayAllAtRandom(absl::Span<Playout> worlds, Rng& rng, PlayedCards* played = nullptr);
void PlayAllAtRandom(absl::Span<Playout> worlds, Rng& rng, LockstepCode code,
                     PlayedCards* played = nullptr);

}  // namespace tarot::rules
