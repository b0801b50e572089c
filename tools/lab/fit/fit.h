// The command `tarot-lab fit`: it learns the weights of the bots and prints them.
#pragma once

#include <cstdint>
#include <istream>

namespace tarot::ai {

// Prints samples of `deals` random deals of `players` players. The number of the first deal is
// `seed`. With `untouched`, prints only hands that are nearly strong enough to leave the dog, and
// only the contracts that leave it.
void PrintDealSamples(int players, int deals, std::uint64_t seed, bool untouched);

// Reads samples of three, four and five players from `in` and prints libs/ai/bid_weights.cc.
// Returns false when the samples of a player count are missing.
bool FitBidding(std::istream& in);

// Plays two rounds, each with `deals` deals for each player count. Prints
// libs/ai/style_weights.cc.
void FitStyle(int deals);

}  // namespace tarot::ai
