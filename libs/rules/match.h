// A match: deals between the same seats until enough have been scored, with running totals.
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
  int deals_dealt = 0;                    // Redeals included.
  Seat next_dealer = kNoSeat;             // Of the deal to come.
  std::array<int, kPlayersMax> totals{};  // Sum to zero, where the scores of each deal do.
  Deal deal;  // The current or last one; meaningless while deals_dealt is 0.

  bool DealRunning() const { return deals_dealt > 0 && deal.phase != Phase::kDone; }
  bool Finished() const;
};

// The last seat deals first, unless the caller then sets next_dealer to whom the draw chose.
// `players` fits the rule set; `deal_count` is at least 1.
Match StartMatch(const RuleSet& rules, int players, int deal_count);

// A match in which everybody passes for ever ends too: after this many deals dealt.
int DealsDealtMax(int deal_count);

// Who takes on board `number` (from 1) where the rule set leaves that to the board: each seat in
// turn, one seat further after every round, so that in players * players boards every seat takes
// once in each place behind the dealer.
Seat BoardTaker(int players, int number);

// Who deals deal `number` (from 1, redeals included) of a match whose last seat dealt first.
Seat DealerOf(int players, int number);

// Deals the next deal from the pack as it is after the cut; false, and nothing changed, while one
// runs or when the match is over.
bool StartNextDeal(Match& match, const PackOrder& order);

// Applies an action to the running deal; when it ends the deal, totals and the dealer move on: to
// the next seat, or, where a board gives dealer and taker, to the next board once this one has been
// scored.
Verdict Apply(Match& match, Seat seat, const Action& action);

}  // namespace tarot::rules
