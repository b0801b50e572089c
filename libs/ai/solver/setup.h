// The constants of one search: camps, weights of the cards, and the open events.
#pragma once

#include "libs/ai/solver/solver.h"

namespace tarot::ai {

// Half points that one event decides, for example the Petit au bout. The event is worth from -low
// to high to the attack. The attack gets `low` plus that worth and the defence the rest, so a camp
// never loses points that it already has.
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
  // Half points that each card adds to its trick. The 21 and the Excuse are booked for their
  // holders beforehand; they weigh only what remains in the trick.
  std::array<std::uint8_t, rules::kCardCount> weight{};

  Pot petit;   // The Petit au bout, while the Petit is in play.
  Pot excuse;  // The camp that keeps the Excuse, with the bonus for bouts, while it is in play.
  Pot slam;
  int petit_au_bout_attack = 0;
  int petit_au_bout_defence = 0;
  int slam_attack = 0;
  int slam_defence = 0;
  std::array<int, 4> bout_bonus{};
  int excuse_worth = 8;  // For its owner, besides its weight in the trick.
  int fixed_bouts = 0;   // Bouts of the attack, without those in play and the Petit.
  bool excuse_in_play = false;
  bool excuse_of_attack = false;
  bool petit_in_play = false;
  bool twenty_one_in_play = false;
  bool twenty_one_of_attack = false;
  bool twenty_one_may_fall = false;  // An Excuse led to the last trick of a slam may take it.

  int base = 0;  // The value if the attack gets nothing more.

  friend bool operator==(const Setup&, const Setup&) = default;

  bool InAttack(rules::Seat seat) const { return (attack >> seat & 1u) != 0; }
  // Bouts of the attack as booked while the Excuse is in play.
  int BookedBouts(bool attack_has_petit) const {
    return fixed_bouts + (attack_has_petit ? 1 : 0) + (excuse_in_play && excuse_of_attack ? 1 : 0) +
           (twenty_one_in_play && twenty_one_of_attack ? 1 : 0);
  }
  int Bonus(int bouts) const { return bout_bonus[static_cast<std::size_t>(bouts)]; }
  // Returns the attack's gain against the booking when the Excuse was in the last trick.
  int ExcuseGain(bool attack_has_petit, bool attack_owns, bool twenty_one_falls) const;
};

Setup MakeSetup(const OpenPosition& position, const Objective& objective);

}  // namespace tarot::ai
