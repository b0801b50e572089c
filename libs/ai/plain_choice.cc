#include "libs/ai/plain_choice.h"

#include "libs/rules/trick.h"

namespace tarot::ai {
namespace {

using rules::Card;
using rules::Seat;
using rules::View;

constexpr int kExcusePrice = 1000;
constexpr int kPetitPrice = 900;

const rules::Trick& TrickInPlay(const View& view) {
  return view.tricks[static_cast<std::size_t>(view.trick_count - 1)];
}

bool Leads(const View& view) { return TrickInPlay(view).size == 0; }
bool IsLast(const View& view) { return TrickInPlay(view).size + 1 == view.playing; }

// Position of the winning card, once `card` has been added.
int WinnerWith(const rules::Trick& trick, Card card) {
  std::array<Card, rules::kPlayersMax> cards = trick.cards;
  cards[static_cast<std::size_t>(trick.size)] = card;
  return rules::WinningPosition({cards.data(), static_cast<std::size_t>(trick.size) + 1});
}

bool Wins(const View& view, Card card) {
  return WinnerWith(TrickInPlay(view), card) == TrickInPlay(view).size;
}

// The seat whose card is winning is known to be of the other camp.
bool FoeWins(const View& view) {
  const rules::Trick& trick = TrickInPlay(view);
  const int position =
      rules::WinningPosition({trick.cards.data(), static_cast<std::size_t>(trick.size)});
  const Seat winner = view.After(trick.leader, position);
  if (view.viewer == view.taker) {
    const bool alone = view.playing < 5 || view.called_card == rules::kNoCard;
    return alone || (view.partner != rules::kNoSeat && winner != view.partner);
  }
  if (winner == view.taker) return view.viewer != view.partner;
  return view.viewer == view.partner;
}

// The trick is the other camp's whatever comes: the viewer is last and does not win it.
bool Lost(const View& view, Card card) {
  return IsLast(view) && !Wins(view, card) && FoeWins(view);
}

}  // namespace

int Price(const View& view, Card card) {
  if (view.taker == rules::kNoSeat) return 0;
  if (card == rules::kExcuse) return kExcusePrice;
  const bool trump = IsTrump(card);
  if (Leads(view)) return card == rules::kPetit ? kPetitPrice : 0;
  // What wins for certain needs to be no higher; the Petit is saved.
  if (IsLast(view) && Wins(view, card)) return trump ? RankOf(card) : 0;
  if (card == rules::kPetit) return kPetitPrice;
  return FoeWins(view) && !Wins(view, card) ? HalfPoints(card) : 0;
}

int Leniency(const View& view, Card best, Card other) {
  if (view.taker == rules::kNoSeat) return 0;
  // Led early it gives the lead away and is gone: worth that only for a good reason.
  if (Leads(view) && best == rules::kExcuse && view.hand.Size() > 3) return 2;
  if (Leads(view) || best == rules::kExcuse || !IsLast(view)) return 0;
  const bool same_end =
      (Wins(view, best) && Wins(view, other) && IsTrump(best) == IsTrump(other)) ||
      (Lost(view, best) && Lost(view, other));
  return same_end ? 1 : 0;
}

}  // namespace tarot::ai
