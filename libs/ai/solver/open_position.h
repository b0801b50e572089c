// A deal in play with every hand known, as the solver wants it: no history but what still counts.
#pragma once

#include <array>

#include "libs/rules/deal.h"

namespace tarot::ai {

// How the rule set settles the end of the play.
struct EndRules {
  rules::ExcuseLastTrick excuse_last_trick = rules::ExcuseLastTrick::kChangesCamp;
  bool excuse_is_paid = true;       // Half a point is given for an Excuse taken out of a trick.
  bool excuse_wins_slam = true;     // Led to the last trick by a camp that has won all the others.
  bool slam_of_defence = true;      // The Excuse's rules for a slam hold for the defence too.
  bool petit_must_win = false;      // Au bout only when the Petit itself wins the trick.
  bool petit_before_excuse = true;  // Au bout in the trick before an Excuse that wins the last one.
  int slam_lost_tricks_max = 0;     // Of the attack.

  bool SlamRulesHold(bool for_attack) const { return for_attack || slam_of_defence; }
  friend bool operator==(const EndRules&, const EndRules&) = default;
};

struct OpenPosition {
  EndRules rules;
  int players = 4;      // That hold cards. Seats are 0 .. players - 1, in order of play.
  unsigned attack = 0;  // Bit by seat: the taker and the partner.
  std::array<rules::CardSet, rules::kPlayersMax> hands;

  // The trick in play; between tricks it is empty. The last trick is not over.
  rules::Seat leader = 0;
  int size = 0;
  std::array<rules::Card, rules::kPlayersMax> trick{};

  // In the first trick of five players: the called suit.
  rules::CardSet barred;                     // Not to be led where the hand has anything else,
  bool barred_to_all = false;                // nor followed with,
  rules::Card called_card = rules::kNoCard;  // unless this card was led.

  // Of the tricks before, with what the taker set aside; an Excuse played in them is settled.
  int attack_half_points = 0;
  int attack_bouts = 0;
  bool attack_has_petit = false;  // Counted in attack_bouts.
  int attack_tricks = 0;
  int defence_tricks = 0;
  // 1 attack, -1 defence: who has the Petit au bout if the Excuse takes the last trick, the Petit
  // having been in the trick before the one in play. 0: nobody.
  int petit_before = 0;

  bool InAttack(rules::Seat seat) const { return (attack >> seat & 1u) != 0; }
  rules::Seat Turn() const { return (leader + size) % players; }
  int TricksLeft() const { return hands[static_cast<std::size_t>(Turn())].Size(); }
};

// `deal` is being played, by two camps.
OpenPosition MakeOpenPosition(const rules::Deal& deal);

// What the seat in turn may play.
rules::CardSet LegalCards(const OpenPosition& position);

}  // namespace tarot::ai
