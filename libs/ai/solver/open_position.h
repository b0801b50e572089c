// A deal in play with all hands open, in the form of the solver: of the history it keeps only what
// still counts.
#pragma once

#include <array>

#include "libs/rules/deal.h"

namespace tarot::ai {

// How the rule set settles the end of the play.
struct EndRules {
  rules::ExcuseLastTrick excuse_last_trick = rules::ExcuseLastTrick::kChangesCamp;
  bool excuse_is_paid = true;       // The winner of the trick gets half a point for the Excuse.
  bool excuse_wins_slam = true;     // When a camp that won all other tricks leads it to the last.
  bool slam_of_defence = true;      // The rules of the Excuse in a slam hold for the defence too.
  bool petit_must_win = false;      // Au bout only if the Petit itself wins the trick.
  bool petit_before_excuse = true;  // Au bout in the trick before an Excuse that wins the last one.
  int slam_lost_tricks_max = 0;     // By the attack.

  bool SlamRulesHold(bool for_attack) const { return for_attack || slam_of_defence; }
  friend bool operator==(const EndRules&, const EndRules&) = default;
};

struct OpenPosition {
  EndRules rules;
  int players = 4;      // Only those with cards; seats 0 .. players - 1, in order of play.
  unsigned attack = 0;  // A bit for the seat of the taker and of the partner.
  std::array<rules::CardSet, rules::kPlayersMax> hands;

  // The trick in play, empty between tricks. The last trick is not complete.
  rules::Seat leader = 0;
  int size = 0;
  std::array<rules::Card, rules::kPlayersMax> trick{};

  // The first trick of five players: a hand with other cards may not lead the called suit `barred`
  // (except `called_card`) and, with `barred_to_all`, may play it only if `called_card` was led.
  rules::CardSet barred;
  bool barred_to_all = false;
  rules::Card called_card = rules::kNoCard;

  // From the tricks before and the écart or dog; an Excuse played in them is settled.
  int attack_half_points = 0;
  int attack_bouts = 0;
  bool attack_has_petit = false;  // Counted in attack_bouts.
  int attack_tricks = 0;
  int defence_tricks = 0;
  // If the Petit was in the trick before the one in play: the camp that has the Petit au bout if
  // the Excuse takes the last trick (1 attack, -1 defence). Otherwise 0.
  int petit_before = 0;

  bool InAttack(rules::Seat seat) const { return (attack >> seat & 1u) != 0; }
  rules::Seat Turn() const { return (leader + size) % players; }
  int TricksLeft() const { return hands[static_cast<std::size_t>(Turn())].Size(); }
};

// `deal` is in its play, and has two camps.
OpenPosition MakeOpenPosition(const rules::Deal& deal);

// Returns the cards that the seat in turn may play.
rules::CardSet LegalCards(const OpenPosition& position);

}  // namespace tarot::ai
