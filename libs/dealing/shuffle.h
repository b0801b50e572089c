// Shuffles that any player can check: a 64-byte seed (78! needs 382 bits) gives the order of the
// pack. The server shows the seed's commitment before the first card, and the seed after the deal.
#pragma once

#include <array>
#include <cstdint>

#include "libs/rules/deck.h"

namespace tarot::dealing {

using DealSeed = std::array<std::uint8_t, 64>;
using Commitment = std::array<std::uint8_t, 32>;

// Expands the seed with SHAKE256 and makes an unbiased Fisher-Yates shuffle. Tables also add nonces
// to the seed; see provenance.h.
rules::PackOrder ShuffledPack(const DealSeed& seed);

// Returns the SHA-256 of the seed.
Commitment Commit(const DealSeed& seed);

}  // namespace tarot::dealing
