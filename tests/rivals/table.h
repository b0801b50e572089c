// The play of a deal with all hands known: legal cards, winners of tricks, and points by the rules
// of the French federation (FFT).
#pragma once

#include <array>
#include <vector>

#include "tests/rivals/cards.h"

namespace rival {

struct Table {
  int players = 4;
  int taker = -1;
  int partner = -1;    // The partner's seat; -1 if the taker has no partner.
  int multiplier = 2;  // The contract's multiplier.
  std::array<Hand, 5> hands;
  bool first_trick = true;
  // The suit that the leader of the first trick may lead only with the card `called`; -1 if there
  // is no such suit.
  int called_suit = -1;
  Card called;

  // The next members describe the trick in play.
  int leader = 0;
  std::vector<Card> trick;

  int tricks_left = 18;
  // Half points and bouts, indexed by the seat that won them, without the Excuse.
  std::array<int, 5> points{};
  std::array<int, 5> bouts{};
  int aside = 0;           // The half points that the attack gets from the écart or the dog.
  int excuse_owner = -1;   // The seat that played the Excuse, or -1.
  int excuse_winner = -1;  // The seat that won the trick with the Excuse, or -1.
  bool excuse_last = false;
  int petit_au_bout = -1;  // The seat that won the Petit au bout, or -1.

  int Turn() const { return (leader + static_cast<int>(trick.size())) % players; }
  bool Attacks(int seat) const { return seat == taker || seat == partner; }
  const Hand& HandOf(int seat) const { return hands[static_cast<std::size_t>(seat)]; }
  bool Over() const { return tricks_left == 0; }

  // Returns the suit to follow, or -1 if there is none yet.
  int Led() const;
  // Returns the position of the winning card in the trick so far.
  int Winning() const;
  Hand Legal() const;
  void Play(Card card);
  // Returns the score of the deal for `seat`, in points of the game.
  int Score(int seat) const;

 private:
  void EndTrick();
};

// Returns a heuristic card for the seat whose turn it is. The play-outs and the bot "rule" play
// this card.
Card RuleCard(const Table& table);

}  // namespace rival
