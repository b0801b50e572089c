// What stays the same in one search: camps, weights of the cards, and what is still to be settled.
#pragma once

#include "libs/ai/solver/solver.h"

namespace tarot::ai {

// Half points that one event decides: the attack gets `low` plus the event's own figure, from -low
// to high, and the defence gets the rest. So nobody ever loses what he already has.
struct Pot {
  int low = 0;
  int high = 0;
  int size() const { return low + high; }
  friend bool operator==(const Pot&, const Pot&) = default;
};

struct Setup {
  int players = 4;
  unsigned attack = 0;
  EndRules rules;
  // Of a card in the trick that it is played to. The 21 and the Excuse are counted for their
  // holders beforehand, so they weigh what remains in the trick.
  std::array<std::uint8_t, rules::kCardCount> weight{};

  Pot petit;   // The Petit au bout; while the Petit is in play.
  Pot excuse;  // Who keeps the Excuse, and what that does to the bouts; while it is in play.
  Pot slam;
  int petit_au_bout_attack = 0;
  int petit_au_bout_defence = 0;
  int slam_attack = 0;
  int slam_defence = 0;
  std::array<int, 4> bout_bonus{};
  int excuse_worth = 8;  // To its owner, beside its weight in the trick.
  int fixed_bouts = 0;   // Of the attack, without the Petit, the Excuse in play, the 21 in play.
  bool excuse_in_play = false;
  bool excuse_of_attack = false;
  bool petit_in_play = false;
  bool twenty_one_in_play = false;
  bool twenty_one_of_attack = false;
  bool twenty_one_may_fall = false;  // To an Excuse that is led to the last trick of a slam.

  int base = 0;  // The value when the attack gets nothing more.

  friend bool operator==(const Setup&, const Setup&) = default;

  bool InAttack(rules::Seat seat) const { return (attack >> seat & 1u) != 0; }
  // Bouts as they are counted while the Excuse is in play.
  int BookedBouts(bool attack_has_petit) const {
    return fixed_bouts + (attack_has_petit ? 1 : 0) + (excuse_in_play && excuse_of_attack ? 1 : 0) +
           (twenty_one_in_play && twenty_one_of_attack ? 1 : 0);
  }
  int Bonus(int bouts) const { return bout_bonus[static_cast<std::size_t>(bouts)]; }
  // What the attack gains against the booking, when the Excuse lay in the last trick.
  int ExcuseGain(bool attack_has_petit, bool attack_owns, bool twenty_one_falls) const;
};

Setup MakeSetup(const OpenPosition& position, const Objective& objective);

}  // namespace tarot::ai
