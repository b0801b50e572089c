#include "libs/ai/analysis/seat_facts.h"

#include "libs/ai/trick_in_play.h"
#include "libs/rules/trick.h"

namespace tarot::ai {

using rules::Card;
using rules::CardSet;
using rules::Seat;
using rules::Suit;

bool SeatFacts::KnowsThatTakerIsAlone() const {
  if (view_.playing < 5 || view_.called_card == rules::kNoCard) return true;
  CardSet of_taker = view_.dog | PlayedBy(view_, view_.taker);
  if (view_.viewer == view_.taker) of_taker |= view_.hand | view_.discard;
  return of_taker.Contains(view_.called_card);
}

SeatFacts::Camp SeatFacts::CampOf(Seat seat) const {
  if (seat == view_.viewer) return Camp::kOwn;
  const bool alone = KnowsThatTakerIsAlone();
  if (view_.viewer == view_.taker) {
    if (alone) return Camp::kOther;
    if (view_.partner == rules::kNoSeat) return Camp::kUnknown;
    return seat == view_.partner ? Camp::kOwn : Camp::kOther;
  }
  const bool viewer_attacks = view_.viewer == view_.partner;
  if (seat == view_.taker) return viewer_attacks ? Camp::kOwn : Camp::kOther;
  if (viewer_attacks) return Camp::kOther;
  if (alone) return Camp::kOwn;
  if (view_.partner == rules::kNoSeat) return Camp::kUnknown;
  return seat == view_.partner ? Camp::kOther : Camp::kOwn;
}

Suit SeatFacts::SuitLed(Card card) const {
  for (int k = 0; k < trick().size; ++k) {
    const Card played = trick().cards[static_cast<std::size_t>(k)];
    if (played != rules::kExcuse) return SuitOf(played);
  }
  return SuitOf(card);
}

int SeatFacts::HalfPointsOnTable() const {
  int sum = 0;
  for (int k = 0; k < trick().size; ++k) {
    sum += HalfPoints(trick().cards[static_cast<std::size_t>(k)]);
  }
  return sum;
}

Seat SeatFacts::Winner() const {
  if (Leads()) return rules::kNoSeat;
  const auto size = static_cast<std::size_t>(trick().size);
  return view_.After(trick().leader, rules::WinningPosition({trick().cards.data(), size}));
}

Card SeatFacts::WinningCard() const {
  const auto size = static_cast<std::size_t>(trick().size);
  const int position = rules::WinningPosition({trick().cards.data(), size});
  return trick().cards[static_cast<std::size_t>(position)];
}

Seat SeatFacts::WinnerWith(Card card) const {
  std::array<Card, rules::kPlayersMax> cards = trick().cards;
  const auto size = static_cast<std::size_t>(trick().size);
  cards[size] = card;
  const Seat leader = Leads() ? view_.viewer : trick().leader;
  return view_.After(leader, rules::WinningPosition({cards.data(), size + 1}));
}

bool SeatFacts::Beats(Card card) const { return WinnerWith(card) == view_.viewer; }

SeatFacts::Camp SeatFacts::WinnerAfter(Card card) const {
  // The next seat may lead any suit after an Excuse, so nothing is certain.
  if (SuitLed(card) == Suit::kNone) return Camp::kUnknown;
  const Card best = Beats(card) ? card : WinningCard();
  const Camp camp = CampOf(WinnerWith(card));
  for (const Seat seat : SeatsAfter()) {
    if ((MayHold(seat) & CardsAbove(best)).Empty()) continue;
    if (CampOf(seat) != camp) return Camp::kUnknown;
  }
  return camp;
}

std::vector<Seat> SeatFacts::SeatsAfter() const {
  std::vector<Seat> seats;
  for (int k = 1; k < view_.playing - trick().size; ++k) {
    seats.push_back(view_.After(view_.viewer, k));
  }
  return seats;
}

CardSet SeatFacts::MayHold(Seat seat) const {
  const auto index = static_cast<std::size_t>(seat);
  return knowledge_.count[index] > 0 ? knowledge_.may[index] : CardSet();
}

CardSet SeatFacts::MayFollow() const {
  CardSet cards;
  for (const Seat seat : SeatsAfter()) {
    if (CampOf(seat) != Camp::kOwn) cards |= MayHold(seat);
  }
  return cards;
}

int SeatFacts::VoidShown(Seat seat, Suit suit) const {
  for (int i = 0; i < view_.trick_count; ++i) {
    const rules::Trick& played = view_.tricks[static_cast<std::size_t>(i)];
    Suit led = Suit::kNone;
    for (int k = 0; k < played.size; ++k) {
      const Card card = played.cards[static_cast<std::size_t>(k)];
      if (card == rules::kExcuse) continue;
      if (led == Suit::kNone) led = SuitOf(card);
      if (led == suit && SuitOf(card) != suit && view_.After(played.leader, k) == seat) {
        return i + 1;
      }
    }
  }
  return 0;
}

}  // namespace tarot::ai
