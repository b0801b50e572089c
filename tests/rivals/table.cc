#include "tests/rivals/table.h"

#include <algorithm>
#include <cstdlib>

namespace rival {
namespace {

// Returns the strength of a card in a trick whose led suit is `led`. A card with strength 0 cannot
// win.
int Strength(Card card, int led) {
  if (card.IsTrump()) return 100 + card.rank;
  return card.suit == led && !card.IsExcuse() ? card.rank : 0;
}

}  // namespace

int Table::Led() const {
  for (const Card card : trick) {
    if (!card.IsExcuse()) return card.suit;
  }
  return -1;
}

int Table::Winning() const {
  const int led = Led();
  int best = 0;
  for (std::size_t i = 1; i < trick.size(); ++i) {
    if (Strength(trick[i], led) > Strength(trick[static_cast<std::size_t>(best)], led)) {
      best = static_cast<int>(i);
    }
  }
  return best;
}

Hand Table::Legal() const {
  const Hand& hand = HandOf(Turn());
  const int led = Led();
  Hand legal = hand;
  if (led < 0) {
    if (!trick.empty() || !first_trick || called_suit < 0) return legal;
    legal.suits[Hand::Slot(called_suit)] = 0;
    if (hand.Has(called)) legal.Add(called);
    return legal.Size() > 0 ? legal : hand;
  }
  Hand excuse;
  if (hand.Excuse()) excuse.Add({});
  if (led != kTrump && hand.Count(led) > 0) {
    excuse.suits[Hand::Slot(led)] = hand.suits[Hand::Slot(led)];
    return excuse;
  }
  if (hand.Trumps() == 0) return legal;
  int highest = 0;
  for (const Card card : trick) highest = card.IsTrump() ? std::max(highest, card.rank) : highest;
  const std::uint32_t over = hand.Trumps() & ~((2u << highest) - 1);
  excuse.suits[kTrump] |= over != 0 ? over : hand.Trumps();
  return excuse;
}

void Table::Play(Card card) {
  hands[static_cast<std::size_t>(Turn())].Drop(card);
  trick.push_back(card);
  if (static_cast<int>(trick.size()) == players) EndTrick();
}

void Table::EndTrick() {
  const int winner = (leader + Winning()) % players;
  const auto at = static_cast<std::size_t>(winner);
  for (std::size_t i = 0; i < trick.size(); ++i) {
    const Card card = trick[i];
    if (card == Card{kTrump, 1} && tricks_left == 1) petit_au_bout = winner;
    if (card.IsExcuse()) {
      excuse_owner = (leader + static_cast<int>(i)) % players;
      excuse_winner = winner;
      excuse_last = tricks_left == 1;
      continue;
    }
    points[at] += card.Points();
    bouts[at] += card.IsBout() ? 1 : 0;
  }
  trick.clear();
  leader = winner;
  first_trick = false;
  --tricks_left;
}

int Table::Score(int seat) const {
  constexpr std::array<int, 4> kNeeded = {112, 102, 82, 72};
  int attack = aside;
  int attack_bouts = 0;
  for (int s = 0; s < players; ++s) {
    if (!Attacks(s)) continue;
    attack += points[static_cast<std::size_t>(s)];
    attack_bouts += bouts[static_cast<std::size_t>(s)];
  }
  if (excuse_owner >= 0) {
    // Normally, the camp that played the Excuse keeps the Excuse. If the other camp won the trick,
    // the other camp gets half a point for the Excuse. An Excuse in the last trick goes to the
    // winner of that trick.
    const int keeper = excuse_last ? excuse_winner : excuse_owner;
    if (Attacks(keeper)) {
      attack += 9;
      ++attack_bouts;
    }
    if (!excuse_last) attack += (Attacks(excuse_winner) ? 1 : 0) - (Attacks(excuse_owner) ? 1 : 0);
  }
  const int difference = attack - kNeeded[static_cast<std::size_t>(attack_bouts)];
  int unit = 25 + (std::abs(difference) + 1) / 2;
  if (difference < 0) unit = -unit;
  if (petit_au_bout >= 0) unit += Attacks(petit_au_bout) ? 10 : -10;
  unit *= multiplier;
  if (!Attacks(seat)) return -unit;
  if (seat != taker) return unit;
  return unit * (partner < 0 ? players - 1 : players - 3);
}

}  // namespace rival
