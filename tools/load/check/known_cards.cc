#include "tools/load/check/known_cards.h"

namespace tarot::check {

using rules::Action;
using rules::Contract;
using rules::Phase;

void KnownCards::Deal(const rules::Deal& deal) {
  own_ = deal.dealt;
  public_ = {};
  Update(deal);
}

void KnownCards::Act(const rules::Deal& deal, const Action& action) {
  if (action.kind == Action::Kind::kPlay) public_.Insert(action.card);
  if (action.kind == Action::Kind::kHandful) public_ |= action.cards;
  // Trumps may go into the écart only if the hand has nothing else; all players then see them.
  if (action.kind == Action::Kind::kDiscard) {
    public_ |= action.cards & rules::CardSet::AllTrumps();
  }
  Update(deal);
}

void KnownCards::Update(const rules::Deal& deal) {
  // With Prise and Garde all players see the dog after the auction and the call.
  const bool takes_dog = deal.contract == Contract::kPrise || deal.contract == Contract::kGarde;
  if (takes_dog && deal.phase >= Phase::kDiscarding) public_ |= deal.dog;
  if (deal.phase == Phase::kDone) public_ = rules::CardSet::All();
}

}  // namespace tarot::check
