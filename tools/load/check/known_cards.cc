#include "tools/load/check/known_cards.h"

namespace tarot::check {

using rules::Action;
using rules::Contract;
using rules::Phase;

void KnownCards::Deal(const rules::Deal& deal) {
  played_.clear();
  handfuls_ = forced_ = {};
  dog_shown_ = false;
  Update(deal);
}

void KnownCards::Act(const rules::Deal& deal, const Action& action) {
  if (action.kind == Action::Kind::kPlay) played_.push_back(action.card);
  if (action.kind == Action::Kind::kHandful) handfuls_ |= action.cards;
  // With kIfNeededShown, trumps go into the écart only if the hand has too few other cards. All
  // players then see these trumps.
  const bool shown = deal.rules.trump_discard == rules::TrumpDiscard::kIfNeededShown;
  if (action.kind == Action::Kind::kDiscard && shown) {
    forced_ = action.cards & rules::CardSet::AllTrumps();
  }
  Update(deal);
}

// Returns the cards of the trick on the table, and of the earlier tricks that the rule set leaves
// open. A complete trick lies on the table until the next card is led.
rules::CardSet KnownCards::OpenTricks(const rules::Deal& deal) const {
  const std::size_t size = static_cast<std::size_t>(deal.playing);
  const std::size_t in_play = played_.size() % size;
  std::size_t open = in_play == 0 ? size : in_play;
  if (deal.rules.tricks_open == rules::TricksOpen::kLast) open += size;
  if (deal.rules.tricks_open == rules::TricksOpen::kAll) open = played_.size();
  rules::CardSet cards;
  for (std::size_t i = played_.size(); i > 0 && open > 0; --i, --open) cards.Insert(played_[i - 1]);
  return cards;
}

void KnownCards::Update(const rules::Deal& deal) {
  own_ = deal.hands;
  const bool done = deal.phase == Phase::kDone;
  if (done && deal.result.outcome == rules::Outcome::kScored) {
    public_ = rules::CardSet::All();
    return;
  }
  public_ = forced_ | OpenTricks(deal);
  // All players see the hand of a petit sec.
  if (done && deal.result.outcome == rules::Outcome::kPetitSec) {
    for (const rules::CardSet hand : deal.hands) {
      const rules::CardSet trumps = hand & rules::CardSet::AllTrumps();
      if (trumps == rules::CardSet{rules::kPetit} && !hand.Contains(rules::kExcuse)) {
        public_ |= hand;
        break;
      }
    }
  }
  // With Prise and Garde, all players see the dog from the phase of the écart on.
  const bool takes_dog = deal.contract == Contract::kPrise || deal.contract == Contract::kGarde;
  const bool dog_open = played_.empty() || deal.rules.dog_open == rules::DogOpen::kWholeDeal;
  // In some rule sets, the taker announces a slam before the dog is shown. So the dog counts as
  // shown only when the phase of the écart begins.
  if (deal.phase == Phase::kDiscarding) dog_shown_ = true;
  if (!done && takes_dog && dog_shown_ && dog_open) public_ |= deal.dog;
  const bool first_trick = played_.size() <= static_cast<std::size_t>(deal.playing);
  if (first_trick || deal.rules.handful_open == rules::HandfulOpen::kWholeDeal) {
    public_ |= handfuls_;
  }
  if (deal.taker != rules::kNoSeat && deal.rules.discard_open == rules::DiscardOpen::kToTaker) {
    own_[static_cast<std::size_t>(deal.taker)] |= deal.discard;
  }
}

}  // namespace tarot::check
