#include "libs/ai/trick_in_play.h"

#include "libs/rules/trick.h"

namespace tarot::ai {
namespace {

using rules::Card;
using rules::CardSet;
using rules::Seat;
using rules::View;

int WinningPlace(const rules::Trick& trick) {
  return rules::WinningPosition({trick.cards.data(), static_cast<std::size_t>(trick.size)});
}

Seat Winner(const View& view) {
  const rules::Trick& trick = TrickInPlay(view);
  return view.After(trick.leader, WinningPlace(trick));
}

}  // namespace

const rules::Trick& TrickInPlay(const View& view) {
  return view.tricks[static_cast<std::size_t>(view.trick_count - 1)];
}

bool Leads(const View& view) { return TrickInPlay(view).size == 0; }
bool IsLast(const View& view) { return TrickInPlay(view).size + 1 == view.playing; }

bool Wins(const View& view, Card card) {
  rules::Trick trick = TrickInPlay(view);
  trick.cards[static_cast<std::size_t>(trick.size++)] = card;
  return WinningPlace(trick) + 1 == trick.size;
}

bool Alone(const View& view) { return view.playing < 5 || view.called_card == rules::kNoCard; }

CardSet CardsAbove(Card winning) {
  if (IsTrump(winning)) return CardSet::TrumpsAbove(RankOf(winning));
  CardSet above = CardSet::AllTrumps();
  for (int rank = RankOf(winning) + 1; rank <= rules::kSuitSize; ++rank) {
    above.Insert(SuitCard(SuitOf(winning), rank));
  }
  return above;
}

Card WinningCard(const View& view) {
  const rules::Trick& trick = TrickInPlay(view);
  return trick.cards[static_cast<std::size_t>(WinningPlace(trick))];
}

bool FoeWins(const View& view) {
  const Seat winner = Winner(view);
  if (view.viewer == view.taker) {
    return Alone(view) || (view.partner != rules::kNoSeat && winner != view.partner);
  }
  if (winner == view.taker) return view.viewer != view.partner;
  return view.viewer == view.partner;
}

bool FriendWins(const View& view) {
  const Seat winner = Winner(view);
  if (winner == view.taker) return view.viewer == view.partner;
  if (view.viewer == view.taker || view.viewer == view.partner) return winner == view.partner;
  return Alone(view) || (view.partner != rules::kNoSeat && winner != view.partner);
}

}  // namespace tarot::ai
