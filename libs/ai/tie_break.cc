#include "libs/ai/tie_break.h"

#include "libs/ai/trick_in_play.h"

namespace tarot::ai {
namespace {

using rules::Card;
using rules::View;

constexpr int kExcusePrice = 1000;
constexpr int kPetitPrice = 900;
constexpr int kTopTrump = 19;  // The 19, the 20 and the 21 are likely to win a trick.

// Returns whether `card` loses the trick for sure: the viewer plays last, and the other camp is
// winning.
bool Lost(const View& view, Card card) {
  return IsLast(view) && !Wins(view, card) && FoeWins(view);
}

// Returns whether another seat of the viewer's camp wins the trick for sure.
bool Given(const View& view, Card card) {
  if (Wins(view, card) || !FriendWins(view)) return false;
  const rules::Trick& trick = TrickInPlay(view);
  bool taker_played = false;
  for (int k = 0; k < trick.size; ++k) taker_played |= view.After(trick.leader, k) == view.taker;
  return IsLast(view) || (Alone(view) && taker_played);
}

}  // namespace

int Price(const View& view, Card card) {
  if (view.taker == rules::kNoSeat) return 0;
  if (card == rules::kExcuse) return kExcusePrice;
  if (Leads(view)) return card == rules::kPetit ? kPetitPrice : 0;
  // `settled` is true if it is certain whether the card wins the trick. Then all winning trumps are
  // equally good, and all losing trumps too. So the price of a trump is its rank, and the bot keeps
  // the high trumps. The code below sets a higher price for a Petit that the other camp may win.
  const bool settled = !Wins(view, card) || IsLast(view);
  const int height = IsTrump(card) && settled ? RankOf(card) : 0;
  if (Wins(view, card) && settled) return height;
  // If its own camp wins the trick, the bot gives a card with many points, or the Petit. But it
  // gives no King, because a King can win another trick.
  if (Given(view, card)) {
    return height + HalfPoints(rules::kExcuse) - (IsKing(card) ? 0 : HalfPoints(card));
  }
  if (card == rules::kPetit) return kPetitPrice;
  return height + (FoeWins(view) && !Wins(view, card) ? HalfPoints(card) : 0);
}

int Leniency(const View& view, Card best, Card other) {
  if (view.taker == rules::kNoSeat) return 0;
  // A seat that leads the Excuse early gives up the lead, and has no Excuse for a later trick. So
  // the bot leads the Excuse only for a clear gain.
  if (Leads(view) && best == rules::kExcuse && WantsReason(view, best)) return 2;
  if (Leads(view) || best == rules::kExcuse) return 0;
  // Both trumps lose this trick. It can be right to play the higher trump now, because it could
  // beat a partner's trump in a later trick.
  if (IsTrump(best) && IsTrump(other) && other != rules::kPetit && !Wins(view, best)) return 0;
  if (Given(view, best) && Given(view, other)) return 2;
  if (!IsLast(view)) return 0;
  const bool same_end =
      (Wins(view, best) && Wins(view, other) && IsTrump(best) == IsTrump(other)) ||
      (Lost(view, best) && Lost(view, other));
  return same_end ? 1 : 0;
}

bool WantsReason(const View& view, Card card) {
  if (view.taker == rules::kNoSeat || view.hand.Size() <= 3) return false;
  if (card == rules::kExcuse) return true;
  const bool defends = view.viewer != view.taker && view.viewer != view.partner;
  return Leads(view) && defends && card == rules::kPetit;
}

bool Wastes(const View& view, Card high, Card low) {
  if (view.taker == rules::kNoSeat || Leads(view)) return false;
  if (!IsTrump(high) || !IsTrump(low) || low == rules::kPetit) return false;
  if (RankOf(low) >= RankOf(high) || Wins(view, high) != Wins(view, low)) return false;
  if (Wins(view, high)) return IsLast(view);
  return view.viewer == view.taker || RankOf(high) >= kTopTrump;
}

}  // namespace tarot::ai
