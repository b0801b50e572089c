#include "libs/rules/match.h"

#include "libs/base/check.h"

namespace tarot::rules {

int DealsDealtMax(int deal_count) { return 4 * deal_count + 16; }

Seat BoardTaker(int players, int number) {
  const int before = number - 1;
  return (before + before / players) % players;
}

Seat DealerOf(int players, int number) { return (players - 2 + number) % players; }

bool Match::Finished() const {
  if (DealRunning()) return false;
  return deals_scored >= deal_count || deals_dealt >= DealsDealtMax(deal_count);
}

Match StartMatch(const RuleSet& rules, int players, int deal_count) {
  TAROT_CHECK(players >= rules.players_min && players <= rules.players_max && deal_count >= 1);
  Match match;
  match.rules = rules;
  match.players = players;
  match.deal_count = deal_count;
  match.next_dealer = players - 1;
  return match;
}

namespace {

// Updates the totals after a deal that is done, and chooses the next dealer. A deal that was not
// scored adds nothing to the totals.
void CloseDeal(Match& match) {
  const DealResult& result = match.deal.result;
  const bool scored = result.outcome == Outcome::kScored;
  if (scored) {
    ++match.deals_scored;
    for (std::size_t seat = 0; seat < match.totals.size(); ++seat) {
      match.totals[seat] += result.scores[seat];
    }
  }
  const bool same_board = match.rules.dealer_by == DealerBy::kBoard && !scored;
  const bool same_dealer = same_board || result.outcome == Outcome::kVoided;
  match.next_dealer = same_dealer ? match.deal.dealer : (match.deal.dealer + 1) % match.players;
}

}  // namespace

bool StartNextDeal(Match& match, const PackOrder& order) {
  if (match.DealRunning() || match.Finished()) return false;
  ++match.deals_dealt;
  const Seat dealer = match.next_dealer;
  const Seat taker = match.rules.taker_by == TakerBy::kBoard
                         ? BoardTaker(match.players, match.deals_scored + 1)
                         : kNoSeat;
  const DealtCards cards = DealOut(match.rules, match.players, dealer, order);
  match.deal = StartDeal(match.rules, match.players, dealer, cards.hands, cards.dog, taker);
  if (match.deal.phase == Phase::kDone) CloseDeal(match);
  return true;
}

bool VoidDeal(Match& match) {
  if (!match.DealRunning()) return false;
  VoidDeal(match.deal);
  CloseDeal(match);
  return true;
}

Verdict Apply(Match& match, Seat seat, const Action& action) {
  if (!match.DealRunning()) return {.reason = Reason::kDealIsOver};
  const Verdict verdict = Apply(match.deal, seat, action);
  if (match.deal.phase == Phase::kDone) CloseDeal(match);
  return verdict;
}

}  // namespace tarot::rules
