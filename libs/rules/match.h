// A match: deals between the same seats until enough of them are scored, with running totals.
#pragma once

#include <array>

#include "libs/rules/deal.h"
#include "libs/rules/deck.h"

namespace tarot::rules {

struct Match {
  RuleSet rules;
  int players = 4;
  int deal_count = 1;  // Scored deals that make the match.
  int deals_scored = 0;
  int deals_dealt = 0;                    // Includes deals that were not scored.
  Seat next_dealer = kNoSeat;             // Dealer of the next deal.
  std::array<int, kPlayersMax> totals{};  // Sum to zero if the scores of every deal do.
  Deal deal;  // The current or last deal; meaningless while deals_dealt is 0.

  bool DealRunning() const { return deals_dealt > 0 && deal.phase != Phase::kDone; }
  bool Finished() const;
};

// The last seat deals first; the caller may set next_dealer to the seat that the draw gave.
// `players` fits the rule set; `deal_count` is at least 1.
Match StartMatch(const RuleSet& rules, int players, int deal_count);

// A match ends after this many deals even if too few of them are scored.
int DealsDealtMax(int deal_count);

// Returns the taker of board `number` (from 1) with TakerBy::kBoard: each seat in turn, shifted by
// one seat after every round. In players * players boards every seat takes once at each distance
// from the dealer.
Seat BoardTaker(int players, int number);

// Returns the dealer of deal `number` (from 1, deals that were not scored included) of a match that
// the last seat dealt first.
Seat DealerOf(int players, int number);

// Deals the next deal from `order`, the pack after the cut. Returns false and changes nothing while
// a deal runs or when the match is over.
bool StartNextDeal(Match& match, const PackOrder& order);

// Applies an action to the running deal. When the action ends the deal, the totals are updated and
// the next seat becomes the dealer. With DealerBy::kBoard the dealer stays until the board is
// scored.
Verdict Apply(Match& match, Seat seat, const Action& action);

}  // namespace tarot::rules
