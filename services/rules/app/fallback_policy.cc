#include "services/rules/app/fallback_policy.h"

#include "libs/base/check.h"

namespace tarot::rules_service {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
using rules::LegalActions;

Action LowestBid(const LegalActions& legal) {
  std::size_t lowest = 0;  // A pass is illegal only for a taker whom the board names.
  while (!legal.bids.at(lowest)) ++lowest;
  return Action::Bid(static_cast<rules::Contract>(lowest));
}

Action HighestCall(const rules::View& view) {
  // A call of a card in hand would mean to play alone.
  const CardSet others = view.legal.calls - view.hand;
  if (!others.Empty()) return Action::Call(others.Last());
  return Action::Call(view.legal.calls.Empty() ? rules::kNoCard : view.legal.calls.Last());
}

Action FirstDiscards(const LegalActions& legal) {
  CardSet discards;
  // Trumps go only into places that the other cards leave open.
  if (legal.discard_trump_count > 0) discards = legal.discards - CardSet::AllTrumps();
  for (const Card card : legal.discards) {
    if (discards.Size() < legal.discard_count) discards.Insert(card);
  }
  return Action::Discard(discards);
}

Action CheapestCard(const LegalActions& legal) {
  Card cheapest = legal.cards.First();
  for (const Card card : legal.cards) {
    if (rules::HalfPoints(card) < rules::HalfPoints(cheapest)) cheapest = card;
  }
  return Action::Play(cheapest);
}

}  // namespace

Action FallbackAction(const rules::View& view) {
  switch (view.phase) {
    case rules::Phase::kBidding:
      return LowestBid(view.legal);
    case rules::Phase::kCalling:
      return HighestCall(view);
    case rules::Phase::kDiscarding:
      return FirstDiscards(view.legal);
    case rules::Phase::kSlam:
      return Action::Slam(false);
    case rules::Phase::kPlaying:
      return CheapestCard(view.legal);
    case rules::Phase::kDone:
      break;
  }
  TAROT_CHECK(false);  // No seat is in turn.
  return {};
}

}  // namespace tarot::rules_service
