// A deal in play with all hands open, in the form that the solver uses. The history of the deal is
// reduced to the facts that still matter.
#pragma once

#include <array>

#include "libs/rules/deal.h"

namespace tarot::ai {

// The parameters of the rule set that the solver needs for the end of the play.
struct EndRules {
  rules::ExcuseLastTrick excuse_last_trick = rules::ExcuseLastTrick::kChangesCamp;
  // In some deals, a camp takes its Excuse back from a trick of the other camp. This member is true
  // if the camp then pays half a point.
  bool excuse_is_paid = true;
  // In a slam, a camp has won all tricks before the last one. This member is true if this camp also
  // wins the last trick when the seat with the Excuse leads the Excuse to it.
  bool excuse_wins_slam = true;
  // True if the Excuse also wins the last trick of a slam when another seat of the same camp leads
  // that trick.
  bool excuse_wins_when_partner_leads = true;
  // True if the rules for the Excuse in a slam also apply to a slam of the defence.
  bool slam_of_defence = true;
  rules::PetitAuBoutCondition petit_condition = rules::PetitAuBoutCondition::kPetitInLastTrick;
  // The Petit may be in the trick before the last trick, and the Excuse may win the last trick.
  // This member is true if the Petit then counts as Petit au bout.
  bool petit_before_excuse = true;
  // The number of tricks that the attack may lose and still make a slam.
  int slam_lost_tricks_max = 0;

  bool SlamRulesHold(bool for_attack) const { return for_attack || slam_of_defence; }
  friend bool operator==(const EndRules&, const EndRules&) = default;
};

struct OpenPosition {
  EndRules rules;
  // The number of seats with cards. These are the seats 0 .. players - 1, in the order of play.
  int players = 4;
  unsigned attack = 0;  // A bit for the seat of the taker, and a bit for the seat of the partner.
  std::array<rules::CardSet, rules::kPlayersMax> hands;

  // The trick in play. It is empty until `leader` leads, and it is never complete.
  rules::Seat leader = 0;
  int size = 0;
  std::array<rules::Card, rules::kPlayersMax> trick{};

  // The rule about the called suit in the first trick of five players. `barred` has the cards of
  // this suit. The leader may not lead a card of `barred`, except `called_card`. If `barred_to_all`
  // is true, the other seats may not follow with a card of `barred` either. This second rule does
  // not apply if `called_card` was led. Neither rule applies to a hand that has no other legal
  // card.
  rules::CardSet barred;
  bool barred_to_all = false;
  rules::Card called_card = rules::kNoCard;

  // The next members come from the earlier tricks and from the cards aside (écart or dog). If the
  // Excuse was played in an earlier trick, these members already include its points.
  int attack_half_points = 0;
  int attack_bouts = 0;
  // True if the Petit counts for the attack: the attack won the Petit in a trick, or the Petit is
  // in the cards aside. Then attack_bouts includes the Petit.
  bool attack_has_petit = false;
  int attack_tricks = 0;
  int defence_tricks = 0;
  // Says which camp won the Petit in the last complete trick: 1 is the attack, -1 the defence. It
  // is 0 if that trick has no Petit, or if the Petit was played so that it cannot count as Petit au
  // bout. The number matters while the last trick of the deal is in play: if the Excuse wins that
  // trick, the Petit in the trick before may count (see petit_before_excuse).
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
