// Chooses cards by a heuristic: give points to partners, give no points to opponents, play master
// cards.
#include <algorithm>

#include "tests/rivals/table.h"

namespace rival {
namespace {

// Returns the lowest card with the fewest points. Returns a bout only if `cards` has nothing else.
Card Cheapest(const Hand& cards) {
  const std::vector<Card> list = cards.Cards();
  return *std::min_element(list.begin(), list.end(), [](Card a, Card b) {
    if (a.Points() != b.Points()) return a.Points() < b.Points();
    return a.suit != b.suit ? a.suit < b.suit : a.rank < b.rank;
  });
}

// Returns the card with the most points. Bouts count as worthless.
Card Dearest(const Hand& cards) {
  const std::vector<Card> list = cards.Cards();
  return *std::max_element(list.begin(), list.end(), [](Card a, Card b) {
    const int worth_a = a.IsBout() ? 0 : a.Points();
    const int worth_b = b.IsBout() ? 0 : b.Points();
    return worth_a < worth_b;
  });
}

// Returns whether no other seat has a higher card in the suit of `card`.
bool IsMaster(const Table& table, Card card) {
  for (int seat = 0; seat < table.players; ++seat) {
    const std::uint32_t ranks = table.HandOf(seat).suits[Hand::Slot(card.suit)];
    if (seat != table.Turn() && ranks >> card.rank > 1) return false;
  }
  return true;
}

Card Lead(const Table& table, const Hand& legal) {
  const int me = table.Turn();
  const Hand& hand = table.HandOf(me);
  const int trumps = std::popcount(hand.Trumps());
  if (table.Attacks(me) && trumps >= 6) return {kTrump, Highest(hand.Trumps())};
  Hand plain = legal;
  plain.suits[kTrump] = 0;
  if (plain.Size() == 0) {
    const Hand rest = {{0, 0, 0, 0, hand.Trumps()}};
    return rest.Size() > 0 ? Card{kTrump, Highest(hand.Trumps())} : Cheapest(legal);
  }
  for (const Card card : plain.Cards()) {
    if (card.rank == 14 && IsMaster(table, card) && table.Attacks(me) &&
        hand.Count(card.suit) < 5) {
      return card;
    }
  }
  int longest = -1;
  for (int suit = 0; suit < 4; ++suit) {
    if (plain.Count(suit) > 0 && (longest < 0 || plain.Count(suit) > plain.Count(longest))) {
      longest = suit;
    }
  }
  return {longest, Lowest(plain.suits[Hand::Slot(longest)])};
}

}  // namespace

Card RuleCard(const Table& table) {
  const Hand legal = table.Legal();
  if (legal.Size() == 1) return legal.Cards().front();
  if (table.Led() < 0) return Lead(table, legal);
  const int me = table.Turn();
  const int winner = (table.leader + table.Winning()) % table.players;
  const bool last = static_cast<int>(table.trick.size()) + 1 == table.players;
  const bool ours = table.Attacks(winner) == table.Attacks(me);
  const Card best = table.trick[static_cast<std::size_t>(table.Winning())];
  const bool safe = last || (best.IsTrump() ? best.rank > 17 : IsMaster(table, best));
  if (ours && safe) return Dearest(legal);
  // Plays the cheapest card that is best so far and probably wins the trick.
  Hand wins;
  for (const Card card : legal.Cards()) {
    Table after = table;
    after.trick.push_back(card);
    const bool beats = after.Winning() + 1 == static_cast<int>(after.trick.size());
    if (beats && (last || card.suit == kTrump || IsMaster(table, card))) wins.Add(card);
  }
  if (!ours && wins.Size() > 0) {
    const Card petit{kTrump, 1};
    if (last && wins.Has(petit)) return petit;
    wins.Drop(petit);
    if (wins.Size() > 0) return last ? Dearest(wins) : Cheapest(wins);
  }
  return Cheapest(legal);
}

}  // namespace rival
