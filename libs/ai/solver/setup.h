// The constants of one search: camps, weights of the cards, and the events that are still open.
#pragma once

#include "libs/ai/solver/solver.h"

namespace tarot::ai {

// The half points that one event decides, for example the Petit au bout. The event is worth from
// -low to high to the attack. The attack gets `low` plus that worth, and the defence gets the rest,
// so no camp ever loses points that it already has.
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
  // The half points that each card adds to its trick. The 21 and the Excuse are booked for their
  // holders in advance, so their weight is only the part that remains in the trick.
  std::array<std::uint8_t, rules::kCardCount> weight{};

  Pot petit;  // The half points for the Petit au bout, while the Petit is in play.
  // The half points of the camp that keeps the Excuse, with the bonus for bouts, while the Excuse
  // is in play.
  Pot excuse;
  Pot slam;
  int petit_au_bout_attack = 0;
  int petit_au_bout_defence = 0;
  int slam_attack = 0;
  int slam_defence = 0;
  std::array<int, 4> bout_bonus{};
  // The Excuse's worth for its owner, in addition to its weight in the trick.
  int excuse_worth = 8;
  int fixed_bouts = 0;  // Number of bouts of the attack, without the Petit and those in play.
  bool excuse_in_play = false;
  bool excuse_of_attack = false;
  bool petit_in_play = false;
  bool twenty_one_in_play = false;
  bool twenty_one_of_attack = false;
  // True if an Excuse that is led to the last trick of a slam may take the 21.
  bool twenty_one_may_fall = false;

  int base = 0;  // The value if the attack gets nothing more.

  friend bool operator==(const Setup&, const Setup&) = default;

  bool InAttack(rules::Seat seat) const { return (attack >> seat & 1u) != 0; }
  // Returns the number of bouts that are booked for the attack while the Excuse is in play.
  int BookedBouts(bool attack_has_petit) const {
    return fixed_bouts + (attack_has_petit ? 1 : 0) + (excuse_in_play && excuse_of_attack ? 1 : 0) +
           (twenty_one_in_play && twenty_one_of_attack ? 1 : 0);
  }
  int Bonus(int bouts) const { return bout_bonus[static_cast<std::size_t>(bouts)]; }
  // Returns the attack's gain, compared with the booked amounts, if the Excuse is in the last
  // trick.
  int ExcuseGain(bool attack_has_petit, bool attack_owns, bool twenty_one_falls) const;
};

Setup MakeSetup(const OpenPosition& position, const Objective& objective);

}  // namespace tarot::ai
