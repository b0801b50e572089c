// The facts about the trick in play that a seat knows for certain: which camp wins the trick, which
// seats have shown a void, and which cards may still be in other hands.
#pragma once

#include <vector>

#include "libs/ai/knowledge.h"

namespace tarot::ai {

class SeatFacts {
 public:
  // `view` must be the view of the seat in turn in the play of a deal with a taker, and `knowledge`
  // must be Know(view). Both must outlive the object.
  SeatFacts(const rules::View& view, const Knowledge& knowledge)
      : view_(view), knowledge_(knowledge) {}

  enum class Camp { kOwn, kOther, kUnknown };

  // Returns the camp of `seat` as far as the viewer knows it.
  Camp CampOf(rules::Seat seat) const;

  const rules::Trick& trick() const {
    return view_.tricks[static_cast<std::size_t>(view_.trick_count - 1)];
  }
  bool Leads() const { return trick().size == 0; }
  // Returns the suit that the next seat must follow if the viewer plays `card`. Returns Suit::kNone
  // if no card other than the Excuse is in the trick then.
  rules::Suit SuitLed(rules::Card card) const;
  // Returns the half points of the cards in the trick.
  int HalfPointsOnTable() const;

  // Returns the seat that is winning the trick, or kNoSeat if the viewer leads.
  rules::Seat Winner() const;
  // Returns the card that is winning the trick. The trick must have a card.
  rules::Card WinningCard() const;
  // Returns whether `card` would be the best card of the trick so far.
  bool Beats(rules::Card card) const;

  // Returns the camp that is certain to win the trick if the viewer plays `card`. Returns kUnknown
  // if each camp may win it, or if the viewer does not know the camp of a seat that may win it.
  Camp WinnerAfter(rules::Card card) const;

  // Returns the seats that play after the viewer in this trick.
  std::vector<rules::Seat> SeatsAfter() const;
  // Returns the cards that the viewer has not seen and that may be in the hand of `seat`.
  rules::CardSet MayHold(rules::Seat seat) const;
  // Returns the cards that may be in the hand of a seat that may belong to the other camp and that
  // plays after the viewer in this trick.
  rules::CardSet MayFollow() const;
  // Returns the number (from 1) of the trick in which `seat` first played another suit although
  // `suit` was led. Returns 0 if there is no such trick.
  int VoidShown(rules::Seat seat, rules::Suit suit) const;

 private:
  // Returns whether the viewer knows that the taker has no partner. With five players, the called
  // card may be in the dog or in the taker's own hand.
  bool KnowsThatTakerIsAlone() const;
  rules::Seat WinnerWith(rules::Card card) const;

  const rules::View& view_;
  const Knowledge& knowledge_;
};

}  // namespace tarot::ai
