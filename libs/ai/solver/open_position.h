// A deal in play with all hands open, in the form that the solver uses. It has only those parts of
// the history that still matter.
#pragma once

#include <array>

#include "libs/rules/deal.h"

namespace tarot::ai {

// The parameters of the rule set that the solver needs for the end of the play.
struct EndRules {
  rules::ExcuseLastTrick excuse_last_trick = rules::ExcuseLastTrick::kChangesCamp;
  // True if a camp that takes its Excuse back from a trick of the other camp pays half a point.
  bool excuse_is_paid = true;
  // True if a camp that has won all other tricks also wins the last trick when it leads the Excuse
  // to the last trick.
  bool excuse_wins_slam = true;
  // True if the Excuse also wins the last trick of a slam when another seat of its camp leads that
  // trick.
  bool excuse_wins_when_partner_leads = true;
  // True if the rules for the Excuse in a slam also apply to the defence.
  bool slam_of_defence = true;
  rules::PetitAuBoutCondition petit_condition = rules::PetitAuBoutCondition::kPetitInLastTrick;
  // True if a Petit in the trick before the last one counts as Petit au bout when the Excuse wins
  // the last trick.
  bool petit_before_excuse = true;
  int slam_lost_tricks_max = 0;  // The number of tricks that the attack may lose in a slam.

  bool SlamRulesHold(bool for_attack) const { return for_attack || slam_of_defence; }
  friend bool operator==(const EndRules&, const EndRules&) = default;
};

struct OpenPosition {
  EndRules rules;
  // The number of seats with cards. These are the seats 0 .. players - 1, in the order of play.
  int players = 4;
  unsigned attack = 0;  // A bit for the taker's seat and one for the partner's.
  std::array<rules::CardSet, rules::kPlayersMax> hands;

  // The trick in play. It is empty until `leader` leads, and it is never complete.
  rules::Seat leader = 0;
  int size = 0;
  std::array<rules::Card, rules::kPlayersMax> trick{};

  // The rule for the first trick of five players. A hand that also has other cards may not lead the
  // called suit `barred`, except `called_card` itself. If `barred_to_all` is true, such a hand may
  // not follow with this suit either, unless `called_card` was led.
  rules::CardSet barred;
  bool barred_to_all = false;
  rules::Card called_card = rules::kNoCard;

  // The next members come from the earlier tricks and from the cards aside (écart or dog). If the
  // Excuse was played in an earlier trick, these members already include its points.
  int attack_half_points = 0;
  int attack_bouts = 0;
  // True if the Petit counts for the attack, from a trick or from the cards aside. Then
  // attack_bouts includes it.
  bool attack_has_petit = false;
  int attack_tricks = 0;
  int defence_tricks = 0;
  // The camp that gets the Petit au bout if the Excuse wins the trick in play: 1 is the attack, -1
  // the defence. It is 0 if the trick before has no Petit, or if this Petit does not count.
  int petit_before = 0;

  bool InAttack(rules::Seat seat) const { return (attack >> seat & 1u) != 0; }
  rules::Seat Turn() const { return (leader + size) % players; }
  int TricksLeft() const { return hands[static_cast<std::size_t>(Turn())].Size(); }
};

// Makes the position of `deal`, which must be in play and have two camps.
OpenPosition MakeOpenPosition(const rules::Deal& deal);

// Returns the cards that the seat in turn may play.
rules::CardSet LegalCards(const OpenPosition& position);

}  // namespace tarot::ai
