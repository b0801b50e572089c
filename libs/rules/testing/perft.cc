#include "libs/rules/testing/perft.h"

#include <vector>

#include "libs/base/check.h"

namespace tarot::rules {
namespace {

// Returns the discard action with the cards of the lowest numbers, and with no more trumps than
// necessary.
Action LowestDiscard(const LegalActions& legal) {
  CardSet out;
  const auto add = [&](CardSet from, int count) {
    for (const Card c : from) {
      if (count-- <= 0) return;
      out.Insert(c);
    }
  };
  add(legal.discards - CardSet::AllTrumps(), legal.discard_count - legal.discard_trump_count);
  add(legal.discards & CardSet::AllTrumps(), legal.discard_count - out.Size());
  return Action::Discard(out);
}

std::vector<Action> Choices(const Deal& deal) {
  const LegalActions legal = ListLegal(deal);
  std::vector<Action> choices;
  for (std::size_t bid = 0; bid < legal.bids.size(); ++bid) {
    if (legal.bids[bid]) choices.push_back(Action::Bid(static_cast<Contract>(bid)));
  }
  for (const Card c : legal.calls) choices.push_back(Action::Call(c));
  if (legal.call_nobody) choices.push_back(Action::Call(kNoCard));
  if (deal.phase == Phase::kDiscarding) choices.push_back(LowestDiscard(legal));
  if (legal.slam) {
    choices.push_back(Action::Slam(false));
    choices.push_back(Action::Slam(true));
  }
  for (const Card c : legal.cards) choices.push_back(Action::Play(c));
  return choices;
}

void Count(const Deal& deal, int depth, PerftCount& count) {
  if (deal.phase == Phase::kDone) {
    ++count.lines;
    ++count.finished;
    const Seat scorer = deal.taker == kNoSeat ? deal.Next(deal.dealer) : deal.taker;
    count.taker_sum += deal.result.scores[static_cast<std::size_t>(scorer)];
    count.half_sum += deal.result.attack_half_points;
    return;
  }
  if (depth == 0) {
    ++count.lines;
    return;
  }
  for (const Action& action : Choices(deal)) {
    Deal next = deal;
    TAROT_CHECK(Apply(next, next.turn, action).ok());
    Count(next, depth - 1, count);
  }
}

}  // namespace

PerftCount Perft(const Deal& deal, int depth) {
  PerftCount count;
  Count(deal, depth, count);
  return count;
}

}  // namespace tarot::rules
