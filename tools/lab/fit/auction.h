// Holds auctions over sampled deals. The samples contain the results of all contracts, so the deals
// are not played again.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "tools/lab/fit/samples.h"

namespace tarot::ai {

// The turn of a player who must bid. `place` is the player's position in the order of bidding, from
// 0. `highest` is a rules::Contract as a number; it is 0 if all earlier places have passed.
struct BiddingTurn {
  const SampledDeal& deal;
  int place = 0;
  int highest = 0;
  int left() const { return static_cast<int>(deal.hands.size()) - 1 - place; }
  const SampledHand& hand() const { return deal.hands[static_cast<std::size_t>(place)]; }
  // Returns true if `contract` is above the highest bid and the result of this contract is known.
  bool Open(int contract) const;
};

// A function that returns a bid that is legal and Open(), or 0 for a pass.
using Bidder = std::function<int(const BiddingTurn&)>;

// Returns the index of the ending for `contract` in SampledHand::endings.
std::size_t DogOf(int contract);

// Returns the score of each place by the rule set `fft` if `taker` plays `contract`.
std::vector<int> Scores(const SampledDeal& deal, int taker, int contract);

// `bids` has one bid for each place. It is 0 for a place that passed and for a place whose turn did
// not come.
struct Auction {
  std::vector<int> bids;
  int taker = -1;
  int contract = 0;
};
// Holds an auction. If `forced_place` is not -1, this place bids `forced`.
Auction Bid(const SampledDeal& deal, const std::vector<const Bidder*>& bidders,
            int forced_place = -1, int forced = 0);

// Returns the final score of each place; zeros if all pass.
std::vector<int> ScoresOf(const SampledDeal& deal, const Auction& auction);

// Bids by Noël Chavey's point count (classic_bid.h).
int ClassicBidder(const BiddingTurn& turn);

}  // namespace tarot::ai
