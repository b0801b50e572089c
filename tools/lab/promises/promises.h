// Plays deals among bots. Compares the score that a bot expects at each card with its real score.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "libs/ai/policy.h"

namespace tarot::lab {

// The role of the seat whose promise it is.
enum class PromiseRole { kTaker, kPartner, kDefender };

// The points that a seat expected at one of its cards (its promise), and the result of the deal.
struct Promise {
  int deal = 0;  // The number of the deal, from 0.
  PromiseRole role = PromiseRole::kDefender;
  int card = 1;             // The number of the seat's card in this deal, from 1.
  int cards = 0;            // The number of cards that each seat has in this deal.
  int multiplier = 1;       // The multiplier of the contract.
  double value = 0;         // Decision::value(), in points of the game.
  double made = 0;          // Candidate::made of the chosen card, as a share.
  double result = 0;        // The seat's score at the end of the deal.
  bool attack_won = false;  // True if the attack made its contract.
};

// Plays deals under the rules of the FFT until `taken` deals had a taker. Every seat plays by
// `policy`. Returns the promises of these deals, in the order of play. A card that the policy
// played without a search has no promise. `node_budget` 0 means the level's own budget. The same
// arguments give the same promises.
std::vector<Promise> CollectPromises(const ai::Policy& policy, int players, int taken,
                                     std::uint64_t seed, std::uint64_t node_budget = 0);

// The mean of a number over promises, with a 95 % interval. Promises of one deal depend on each
// other, so the interval treats each deal as one observation.
struct Estimate {
  double mean = 0;
  double half_width = 0;
  int deals = 0;
};
// Returns the mean of `number` over the promises for which `counts` returns true.
Estimate MeanOf(const std::vector<Promise>& promises,
                const std::function<bool(const Promise&)>& counts,
                const std::function<double(const Promise&)>& number);

}  // namespace tarot::lab
