// Fits what the bots learn, as `tarot-lab fit` runs it. Results go to standard output.
#pragma once

#include <cstdint>
#include <istream>

namespace tarot::ai {

// Prints samples of `deals` random deals of `players`; the number of the first deal is `seed`. With
// `untouched`, only hands that are nearly strong enough to leave the dog, and only those contracts.
void PrintDealSamples(int players, int deals, std::uint64_t seed, bool untouched);

// Reads samples of three, four and five players from `in` and prints libs/ai/bid_weights.cc. False
// when the samples of a player count are missing.
bool FitBidding(std::istream& in);

// Plays `deals` deals with each player count, twice, and prints libs/ai/style_weights.cc.
void FitStyle(int deals);

}  // namespace tarot::ai
