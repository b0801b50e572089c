#include "libs/ai/solver/open_position.h"

#include "libs/base/check.h"
#include "libs/rules/scoring.h"
#include "libs/rules/trick.h"

namespace tarot::ai {
namespace {

using rules::Card;
using rules::CardSet;
using rules::Deal;
using rules::Seat;
using rules::Trick;

// Maps seats of the deal to seats of the position. If the dealer sits out, the position has no seat
// for the dealer.
class Seats {
 public:
  explicit Seats(const Deal& deal)
      : out_(deal.sits_out == rules::kNoSeat ? deal.players : deal.sits_out) {}
  Seat ToPosition(Seat seat) const { return seat > out_ ? seat - 1 : seat; }
  Seat ToDeal(Seat seat) const { return seat >= out_ ? seat + 1 : seat; }

 private:
  Seat out_;
};

void Gather(const Deal& deal, const Trick& trick, bool before_last, OpenPosition& position) {
  const bool attack = deal.InAttack(trick.winner);
  ++(attack ? position.attack_tricks : position.defence_tricks);
  Seat seat = trick.leader;
  for (int i = 0; i < trick.size; ++i) {
    const Card card = trick.cards[static_cast<std::size_t>(i)];
    bool owner_attacks = attack;
    if (card == rules::kExcuse) {
      owner_attacks = deal.InAttack(seat);
      if (owner_attacks != attack && position.rules.excuse_is_paid) {
        position.attack_half_points += owner_attacks ? -1 : 1;
      }
    }
    if (owner_attacks) {
      position.attack_half_points += HalfPoints(card);
      position.attack_bouts += IsBout(card) ? 1 : 0;
    }
    if (card == rules::kPetit) {
      position.attack_has_petit = attack;
      const bool counts = rules::PetitCounts(position.rules.petit_condition, seat == trick.winner,
                                             deal.InAttack(seat) == attack);
      if (before_last && counts) position.petit_before = attack ? 1 : -1;
    }
    seat = deal.Next(seat);
  }
}

void BarCalledSuit(const Deal& deal, OpenPosition& position) {
  if (deal.called_card == rules::kNoCard || deal.trick_count != 1) return;
  if (deal.rules.call_lead == rules::CallLead::kFree) return;
  position.called_card = deal.called_card;
  position.barred = CardSet::OfSuit(SuitOf(deal.called_card));
  position.barred_to_all = deal.rules.call_lead == rules::CallLead::kSuitBarredWholeTrick;
}

}  // namespace

OpenPosition MakeOpenPosition(const Deal& deal) {
  TAROT_CHECK(deal.phase == rules::Phase::kPlaying && deal.taker != rules::kNoSeat);
  const Seats seats(deal);
  OpenPosition position;
  position.rules = {
      .excuse_last_trick = deal.rules.excuse_last_trick,
      .excuse_is_paid = deal.rules.ExcuseIsPaid(deal.players),
      .excuse_wins_slam = deal.rules.excuse_slam_wins_when_led,
      .excuse_wins_when_partner_leads = deal.rules.excuse_slam_wins_when_partner_leads,
      .slam_of_defence = deal.rules.excuse_slam_applies_to_defence,
      .petit_condition = deal.rules.petit_au_bout_condition,
      .petit_before_excuse = deal.rules.petit_au_bout_slam_previous_trick,
      .slam_lost_tricks_max = deal.rules.slam_lost_tricks_max};
  position.players = deal.playing;
  CardSet aside = deal.discard;
  if (deal.contract == rules::Contract::kGardeSans) aside |= deal.dog;
  position.attack_half_points = HalfPoints(aside);
  position.attack_bouts = (aside & CardSet::Bouts()).Size();
  position.attack_has_petit = aside.Contains(rules::kPetit);
  for (int i = 0; i + 1 < deal.trick_count; ++i) {
    Gather(deal, deal.tricks[static_cast<std::size_t>(i)], i + 2 == deal.trick_count, position);
  }
  for (Seat seat = 0; seat < position.players; ++seat) {
    const Seat from = seats.ToDeal(seat);
    position.hands[static_cast<std::size_t>(seat)] = deal.hands[static_cast<std::size_t>(from)];
    if (deal.InAttack(from)) position.attack |= 1u << seat;
  }
  const Trick& trick = deal.CurrentTrick();
  position.leader = seats.ToPosition(trick.leader);
  position.size = trick.size;
  position.trick = trick.cards;
  BarCalledSuit(deal, position);
  return position;
}

CardSet LegalCards(const OpenPosition& position) {
  const auto size = static_cast<std::size_t>(position.size);
  const CardSet legal = rules::LegalCards(position.hands[static_cast<std::size_t>(position.Turn())],
                                          absl::MakeSpan(position.trick.data(), size));
  if (position.barred.Empty()) return legal;
  CardSet barred = position.barred;
  if (position.size == 0) {
    barred.Erase(position.called_card);
  } else if (!position.barred_to_all || position.trick[0] == position.called_card) {
    return legal;
  }
  const CardSet rest = legal - barred;
  return rest.Empty() ? legal : rest;
}

}  // namespace tarot::ai
