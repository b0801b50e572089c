// Plays a match. The same seats play deals until enough deals are scored, or until DealsDealtMax()
// deals have been dealt. The match keeps each seat's total score.
#pragma once

#include <array>

#include "libs/rules/deal.h"
#include "libs/rules/deck.h"

namespace tarot::rules {

struct Match {
  RuleSet rules;
  int players = 4;
  int deal_count = 1;  // The match ends when this number of deals has been scored.
  int deals_scored = 0;
  // Number of deals that have begun, including those that were not scored.
  int deals_dealt = 0;
  Seat next_dealer = kNoSeat;             // The dealer of the next deal.
  std::array<int, kPlayersMax> totals{};  // The sum of each seat's scores.
  Deal deal;  // The current or last deal; meaningless while deals_dealt is 0.

  bool DealRunning() const { return deals_dealt > 0 && deal.phase != Phase::kDone; }
  bool Finished() const;
};

// Starts a match. Normally the last seat deals first. The caller may set next_dealer to another
// seat, for example after a draw. The rule set must allow `players`, and `deal_count` must be at
// least 1.
Match StartMatch(const RuleSet& rules, int players, int deal_count);

// Returns the number of deals after which a match ends, even if fewer than `deal_count` were
// scored.
int DealsDealtMax(int deal_count);

// Returns the taker of board `number` (from 1) with TakerBy::kBoard. Each seat is the taker in
// turn. After every `players` boards, the order shifts by one seat. So in players * players boards,
// every seat is the taker once at each distance from the dealer.
Seat BoardTaker(int players, int number);

// Returns the dealer of deal `number` of a match in which the last seat deals first. Numbers begin
// at 1 and include deals that were not scored. The function assumes that the dealer changes after
// each deal. This assumption is false with DealerBy::kBoard, and after a deal that VoidDeal()
// cancelled.
Seat DealerOf(int players, int number);

// Deals the next deal from `order`, the pack after the cut. If a deal runs or the match is over,
// returns false and changes nothing.
bool StartNextDeal(Match& match, const PackOrder& order);

// Cancels the running deal, without a score. The same seat deals again. If no deal runs, returns
// false and changes nothing.
bool VoidDeal(Match& match);

// Applies an action to the running deal. If the action ends the deal, updates the totals and makes
// the next seat the dealer. With DealerBy::kBoard, the dealer stays the same until a deal is
// scored.
Verdict Apply(Match& match, Seat seat, const Action& action);

}  // namespace tarot::rules
