// The command `tarot-lab fit`: it learns the weights of the bots and prints them.
#pragma once

#include <cstdint>
#include <istream>

namespace tarot::ai {

// Prints samples of random deals with the numbers `seed` to `seed + deals - 1`. With `untouched`,
// prints only hands that are nearly strong enough to leave the dog untouched, and only the
// contracts that leave it untouched.
void PrintDealSamples(int players, int deals, std::uint64_t seed, bool untouched);

// Reads samples of three, four and five players from `in` and prints libs/ai/bid_weights.cc.
// Returns false when the samples of a player count are missing; then the printed file is not
// complete.
bool FitBidding(std::istream& in);

// Holds `deals` auctions for each player count, over random deals with the numbers `seed` and up.
// Prints libs/ai/bid_odds.cc.
void FitOdds(int deals, std::uint64_t seed);

// Plays deals of each player count until `deals` deals had a taker; the deals have the numbers
// `seed` and up. Prints libs/ai/promise_weights.cc.
void FitPromises(int deals, std::uint64_t seed);

// Plays two rounds, each with `deals` deals for each player count. Prints
// libs/ai/style_weights.cc.
void FitStyle(int deals);

}  // namespace tarot::ai
