// Fair deals that anybody can check: a 64-byte seed (78! needs 382 bits) gives the order of the
// pack; its commitment is shown before the first card, the seed when the deal is over.
#pragma once

#include <array>
#include <cstdint>

#include "libs/rules/deck.h"

namespace tarot::dealing {

using DealSeed = std::array<std::uint8_t, 64>;
using Commitment = std::array<std::uint8_t, 32>;

// The seed is expanded with SHAKE256 and drives an unbiased Fisher-Yates shuffle. At a table more
// enters than the seed: see provenance.h.
rules::PackOrder ShuffledPack(const DealSeed& seed);

// SHA-256 of the seed.
Commitment Commit(const DealSeed& seed);

}  // namespace tarot::dealing
