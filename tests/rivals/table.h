// The play of a deal with every hand known: who may play what, who wins, and the points of FFT.
#pragma once

#include <array>
#include <vector>

#include "tests/rivals/cards.h"

namespace rival {

struct Table {
  int players = 4;
  int taker = -1;
  int partner = -1;    // Five players; -1 when the taker is alone.
  int multiplier = 2;  // Of the contract.
  std::array<Hand, 5> hands;
  bool first_trick = true;
  int called_suit = -1;  // May not be led to the first trick, but by its king.
  Card called;

  // The trick in play.
  int leader = 0;
  std::vector<Card> trick;

  // By seat that won them, half points and bouts; the Excuse apart.
  int tricks_left = 18;
  std::array<int, 5> points{};
  std::array<int, 5> bouts{};
  int aside = 0;           // Half points of what lies aside, for the attack.
  int excuse_owner = -1;   // Once played,
  int excuse_winner = -1;  // and who won that trick.
  bool excuse_last = false;
  int petit_au_bout = -1;  // Who won it.

  int Turn() const { return (leader + static_cast<int>(trick.size())) % players; }
  bool Attacks(int seat) const { return seat == taker || seat == partner; }
  const Hand& HandOf(int seat) const { return hands[static_cast<std::size_t>(seat)]; }
  bool Over() const { return tricks_left == 0; }

  // The suit that must be followed; -1 while there is none.
  int Led() const;
  // The place in the trick of the card that wins it so far.
  int Winning() const;
  Hand Legal() const;
  void Play(Card card);
  // To `seat`, in points of the game.
  int Score(int seat) const;

 private:
  void EndTrick();
};

// A rule of thumb for the seat in turn: the policy of the play-outs, and a bot of its own.
Card RuleCard(const Table& table);

}  // namespace rival
