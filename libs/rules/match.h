// A match: deals between the same seats until enough of them are scored, with running totals.
#pragma once

#include <array>

#include "libs/rules/deal.h"
#include "libs/rules/deck.h"

namespace tarot::rules {

struct Match {
  RuleSet rules;
  int players = 4;
  int deal_count = 1;  // Number of scored deals in the match.
  int deals_scored = 0;
  // Number of deals so far, including those that were not scored.
  int deals_dealt = 0;
  Seat next_dealer = kNoSeat;             // The dealer of the next deal.
  std::array<int, kPlayersMax> totals{};  // The totals sum to zero if the scores of every deal do.
  Deal deal;  // The current or last deal; meaningless while deals_dealt is 0.

  bool DealRunning() const { return deals_dealt > 0 && deal.phase != Phase::kDone; }
  bool Finished() const;
};

// Starts a match. The last seat deals first; the caller may set next_dealer to another seat after a
// draw. `players` must fit the rule set, and `deal_count` must be at least 1.
Match StartMatch(const RuleSet& rules, int players, int deal_count);

// A match ends after this many deals even if too few of them are scored.
int DealsDealtMax(int deal_count);

// Returns the taker of board `number` (from 1) with TakerBy::kBoard. Each seat takes in turn, and
// after every round the order shifts by one seat. So in players * players boards every seat takes
// once at each distance from the dealer.
Seat BoardTaker(int players, int number);

// Returns the dealer of deal `number` of a match in which the last seat deals first. Numbers begin
// at 1 and include deals that were not scored.
Seat DealerOf(int players, int number);

// Deals the next deal from `order`, the pack after the cut. Returns false and changes nothing while
// a deal runs or when the match is over.
bool StartNextDeal(Match& match, const PackOrder& order);

// Applies an action to the running deal. When the action ends the deal, updates the totals and
// moves the dealer to the next seat. With DealerBy::kBoard the dealer stays until the board is
// scored.
Verdict Apply(Match& match, Seat seat, const Action& action);

}  // namespace tarot::rules
