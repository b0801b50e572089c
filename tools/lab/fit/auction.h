// Auctions over sampled deals: what would have been scored had others bid, without playing again.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "tools/lab/fit/samples.h"

namespace tarot::ai {

// A place about to speak. `highest` is a rules::Contract as a number, 0 when nobody has taken.
struct Moment {
  const SampledDeal& deal;
  int place = 0;
  int highest = 0;
  int left() const { return static_cast<int>(deal.hands.size()) - 1 - place; }
  const SampledHand& hand() const { return deal.hands[static_cast<std::size_t>(place)]; }
  // Whether the deal says how `contract`, above the highest bid, ends.
  bool Open(int contract) const;
};

// A legal bid that is Open(), or 0.
using Bidder = std::function<int(const Moment&)>;

// Index into SampledHand::endings.
std::size_t DogOf(int contract);

// What each place scores by the federation's rules when `taker` plays `contract`.
std::vector<int> Scores(const SampledDeal& deal, int taker, int contract);

// Bids of one auction by place, 0 for those who did not speak.
struct Auction {
  std::vector<int> bids;
  int taker = -1;
  int contract = 0;
};
// `forced`: what `forced_place` bids instead (-1: nobody is forced).
Auction Bid(const SampledDeal& deal, const std::vector<const Bidder*>& bidders,
            int forced_place = -1, int forced = 0);

// What each place scores in the end; zeros when all pass.
std::vector<int> ScoresOf(const SampledDeal& deal, const Auction& auction);

// Noël Chavey's point count (classic_bid.h).
int ClassicBidder(const Moment& moment);

}  // namespace tarot::ai
