// The numbers that stay the same during one search: the camps, the weights of the cards, and the
// points of the events that are still undecided.
#pragma once

#include "libs/ai/solver/solver.h"

namespace tarot::ai {

// The half points of one event that is still undecided, for example the Petit au bout. From this
// event, the attack gains w half points: at least -low and at most high. The search needs numbers
// that are not negative. So it shares low + high half points: it gives the attack low + w, and the
// defence high - w. `Setup::base` subtracts `low` again.
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
  // The half points that each card adds to its trick. The points of the 21 and the Excuse go to
  // their holders in advance, apart from a small part that stays in the trick. The weight of these
  // two cards is this part.
  std::array<std::uint8_t, rules::kCardCount> weight{};

  // The half points for the Petit au bout. `low` and `high` are 0 if no camp can still get this
  // bonus.
  Pot petit;
  // The half points that depend on which camp keeps the Excuse. They include the bonus for bouts.
  // `low` and `high` are 0 if the Excuse is no longer in play.
  Pot excuse;
  Pot slam;
  int petit_au_bout_attack = 0;
  int petit_au_bout_defence = 0;
  int slam_attack = 0;
  int slam_defence = 0;
  std::array<int, 4> bout_bonus{};
  // The half points that the Excuse is worth to its owner, in addition to its weight in the trick.
  int excuse_worth = 8;
  // The number of bouts that the attack already has, without the Petit.
  int fixed_bouts = 0;
  bool excuse_in_play = false;
  bool excuse_of_attack = false;
  bool petit_in_play = false;
  bool twenty_one_in_play = false;
  bool twenty_one_of_attack = false;
  // True if the Excuse could beat the 21 in the last trick of a slam.
  bool twenty_one_may_fall = false;

  int base = 0;  // The value of the deal if the attack gets nothing from here on.

  friend bool operator==(const Setup&, const Setup&) = default;

  bool InAttack(rules::Seat seat) const { return (attack >> seat & 1u) != 0; }
  // Returns how many bouts the setup counts for the attack: `fixed_bouts`, the Petit if
  // `attack_has_petit` is true, and a 21 or an Excuse in play that the attack holds.
  int BookedBouts(bool attack_has_petit) const {
    return fixed_bouts + (attack_has_petit ? 1 : 0) + (excuse_in_play && excuse_of_attack ? 1 : 0) +
           (twenty_one_in_play && twenty_one_of_attack ? 1 : 0);
  }
  int Bonus(int bouts) const { return bout_bonus[static_cast<std::size_t>(bouts)]; }
  // Returns what the attack gains if the Excuse is played to the last trick, compared with the
  // points that the setup gives in advance.
  int ExcuseGain(bool attack_has_petit, bool attack_owns, bool twenty_one_falls) const;
};

Setup MakeSetup(const OpenPosition& position, const Objective& objective);

}  // namespace tarot::ai
