#include "libs/ai/table.h"

namespace tarot::ai {
namespace {

using rules::Card;
using rules::CardSet;
using rules::Seat;
using rules::Suit;

// The taker, and whoever has or had the called card. Where everybody plays alone: the viewer.
unsigned AttackCamp(const rules::View& view, const World& world) {
  const auto bit = [](Seat seat) { return 1u << static_cast<unsigned>(seat); };
  if (view.taker == rules::kNoSeat) return bit(view.viewer);
  unsigned attack = bit(view.taker);
  if (view.called_card == rules::kNoCard) return attack;
  for (Seat seat = 0; seat < view.players; ++seat) {
    if (world.hands[static_cast<std::size_t>(seat)].Contains(view.called_card)) attack |= bit(seat);
  }
  for (int i = 0; i < view.trick_count; ++i) {
    const rules::Trick& trick = view.tricks[static_cast<std::size_t>(i)];
    for (int k = 0; k < trick.size; ++k) {
      if (trick.cards[static_cast<std::size_t>(k)] != view.called_card) continue;
      attack |= bit(view.After(trick.leader, k));
    }
  }
  return attack;
}

// Cards that the attack owns without having won them in a trick.
CardSet OwnedAside(const rules::View& view, CardSet aside) {
  if (view.contract == rules::Contract::kGardeContre) return CardSet();
  return aside | view.discard_shown | view.discard;
}

// Whether the attack owns the Excuse, once played (docs/rules.md, "Ownership of the Excuse").
bool AttackOwnsExcuse(const rules::View& view, const Table& table) {
  const bool held = table.InAttack(table.excuse_owner);
  const bool last = table.excuse_trick == table.tricks_played - 1;
  if (!last) return held;
  if (table.excuse_ends_slam && (held || view.rules.excuse_slam_applies_to_defence)) return held;
  switch (view.rules.excuse_last_trick) {
    case rules::ExcuseLastTrick::kChangesCamp:
      return !held;
    case rules::ExcuseLastTrick::kToTrickWinner:
      return table.InAttack(table.excuse_winner);
    case rules::ExcuseLastTrick::kNeverLost:
      return held;
  }
  return held;
}

// What the attack gets for the Excuse, in half points: its owner gives the winner of the trick a
// worthless card for it.
int ExcuseHalfPoints(const rules::View& view, const Table& table, bool attack_owns) {
  // In the middle of its trick nobody has won it yet.
  const bool attack_won =
      table.excuse_winner != rules::kNoSeat && table.InAttack(table.excuse_winner);
  const int value = attack_owns ? HalfPoints(rules::kExcuse) : 0;
  if (attack_owns == attack_won) return value;
  if (!view.rules.ExcuseIsPaid(view.players)) return value;
  return attack_owns ? value - 1 : value + 1;
}

int PetitAuBout(const rules::View& view, const Table& table) {
  const int last = table.tricks_played - 1;
  if (table.petit_trick < 0) return 0;
  const bool before = table.excuse_led_slam && view.rules.petit_au_bout_slam_previous_trick;
  if (table.petit_trick != last && !(before && table.petit_trick == last - 1)) return 0;
  const bool must_win =
      view.rules.petit_au_bout_condition == rules::PetitAuBoutCondition::kWinsLastTrick;
  if (must_win && table.petit_winner != table.petit_owner) return 0;
  return table.InAttack(table.petit_winner) ? 1 : -1;
}

rules::SlamOutcome Slam(const rules::View& view, const Table& table) {
  int attack_tricks = 0;
  for (Seat seat = 0; seat < table.players; ++seat) {
    if (table.InAttack(seat))
      attack_tricks += table.gathered[static_cast<std::size_t>(seat)].tricks;
  }
  const int lost = table.tricks_played - attack_tricks;
  if (lost <= view.rules.slam_lost_tricks_max) {
    return view.slam_announced ? rules::SlamOutcome::kAnnouncedMade
                               : rules::SlamOutcome::kUnannouncedMade;
  }
  if (attack_tricks == 0) {
    return view.slam_announced ? rules::SlamOutcome::kAnnouncedFailedDefence
                               : rules::SlamOutcome::kDefence;
  }
  return view.slam_announced ? rules::SlamOutcome::kAnnouncedFailed : rules::SlamOutcome::kNone;
}

}  // namespace

CardSet Table::Legal() const {
  const CardSet hand = Hand(turn);
  if (size == 0) {
    const CardSet free = tricks_played == 0 ? hand - barred : hand;
    return free.Empty() ? hand : free;
  }
  if (led == Suit::kNone) return hand;
  CardSet legal;
  if (led != Suit::kTrumps) legal = hand & CardSet::OfSuit(led);
  if (legal.Empty()) {
    legal = hand & CardSet::TrumpsAbove(IsTrump(winning) ? RankOf(winning) : 0);
    if (legal.Empty()) legal = hand & CardSet::AllTrumps();
    if (legal.Empty()) return hand;
  }
  return legal | (hand & CardSet{rules::kExcuse});
}

void Table::Play(Card card) {
  Hand(turn).Erase(card);
  held.Erase(card);
  trick.Insert(card);
  if (card == rules::kPetit) petit_owner = turn;
  if (card == rules::kExcuse) {
    excuse_owner = turn;
    excuse_trick = tricks_played;
    if (size == 0) winner = turn;  // For now.
  } else if (led == Suit::kNone) {
    led = SuitOf(card);
    winning = card;
    winner = turn;
    ++led_by[static_cast<std::size_t>(led)][InAttack(turn) ? 1 : 0];
  } else {
    if (SuitOf(card) != led) {
      voids[static_cast<std::size_t>(led)] |= static_cast<std::uint8_t>(1u << turn);
      if (!IsTrump(card)) voids[4] |= static_cast<std::uint8_t>(1u << turn);
    }
    if (SuitOf(card) == SuitOf(winning) ? RankOf(card) > RankOf(winning) : IsTrump(card)) {
      winning = card;
      winner = turn;
    }
  }
  waiting &= ~(1u << turn);
  turn = rules::SeatAfter(players, sits_out, turn, 1);
  if (++size == playing) EndTrick();
}

void Table::EndTrick() {
  const bool has_excuse = trick.Contains(rules::kExcuse);
  if (has_excuse && held.Empty() && CampHasAllTricks(excuse_owner)) {
    // `turn` has come round to the leader.
    excuse_led_slam = excuse_owner == turn && excuse_may_win[InAttack(turn) ? 1 : 0];
    if (excuse_led_slam) winner = turn;
    excuse_ends_slam = SameCamp(winner, excuse_owner);
  }
  if (has_excuse) excuse_winner = winner;
  Gathered& pile = gathered[static_cast<std::size_t>(winner)];
  pile.half_points += HalfPoints(trick - CardSet{rules::kExcuse});
  pile.bouts += (trick & CardSet{rules::kPetit, rules::kTwentyOne}).Size();
  pile.courts += (trick & rules::Courts()).Size();
  ++pile.tricks;
  winners |= 1u << winner;
  waiting = Everybody();
  if (trick.Contains(rules::kPetit)) {
    petit_trick = tricks_played;
    petit_winner = winner;
  }
  turn = winner;
  ++tricks_played;
  size = 0;
  trick = CardSet();
  led = Suit::kNone;
  winning = rules::kNoCard;
  winner = rules::kNoSeat;
}

Table MakeTable(const rules::View& view, const World& world) {
  Table table;
  table.players = view.players;
  table.playing = view.playing;
  table.sits_out = view.sits_out;
  const bool may_win = view.rules.excuse_slam_wins_when_led && view.taker != rules::kNoSeat;
  table.excuse_may_win = {may_win && view.rules.excuse_slam_applies_to_defence, may_win};
  table.taker = view.taker;
  table.attack = AttackCamp(view, world);
  table.waiting = table.Everybody();
  // The tricks so far are played again over hands that no longer hold their cards.
  table.held = CardSet::All();
  for (int i = 0; i < view.trick_count; ++i) {
    const rules::Trick& trick = view.tricks[static_cast<std::size_t>(i)];
    table.turn = trick.leader;
    for (int k = 0; k < trick.size; ++k) table.Play(trick.cards[static_cast<std::size_t>(k)]);
  }
  table.turn = view.turn;
  table.hands = world.hands;
  table.held = CardSet();
  for (const CardSet hand : world.hands) table.held |= hand;
  if (view.called_card != rules::kNoCard && view.rules.call_lead != rules::CallLead::kFree) {
    table.barred = CardSet::OfSuit(SuitOf(view.called_card)) - CardSet{view.called_card};
  }
  return table;
}

rules::ScoreInput Count(const rules::View& view, const World& world, const Table& table) {
  rules::ScoreInput input;
  input.players = view.playing;
  input.contract = view.contract;
  const CardSet aside = OwnedAside(view, world.aside);
  input.attack_half_points = HalfPoints(aside);
  input.bouts = (aside & CardSet::Bouts()).Size();
  input.honours = (aside & rules::Courts()).Size();
  for (Seat seat = 0; seat < table.players; ++seat) {
    if (!table.InAttack(seat)) continue;
    const Table::Gathered& pile = table.gathered[static_cast<std::size_t>(seat)];
    input.attack_half_points += pile.half_points;
    input.bouts += pile.bouts;
    input.honours += pile.courts;
    if (seat != view.taker) input.has_partner = true;
  }
  if (table.excuse_owner != rules::kNoSeat) {
    const bool attack_owns = AttackOwnsExcuse(view, table);
    input.attack_half_points += ExcuseHalfPoints(view, table, attack_owns);
    if (attack_owns) ++input.bouts;
  }
  input.honours += input.bouts;
  input.petit_au_bout = PetitAuBout(view, table);
  input.slam = Slam(view, table);
  for (int i = 0; i < view.handful_count; ++i) {
    const rules::ShownHandful& shown = view.handfuls[static_cast<std::size_t>(i)];
    auto& camp = table.InAttack(shown.seat) ? input.attack_handfuls : input.defence_handfuls;
    ++camp[static_cast<std::size_t>(shown.level)];
  }
  return input;
}

int PointsOfViewer(const rules::View& view, const Table& table, const rules::ScoreInput& input) {
  const rules::Score score = rules::ComputeScore(view.rules, input);
  if (view.viewer == view.taker) return score.taker;
  if (view.rules.scoring != rules::Scoring::kNormal) {
    return table.InAttack(view.viewer) ? score.taker : -score.taker;
  }
  return table.InAttack(view.viewer) ? score.partner : score.defender;
}

int Points(const rules::View& view, const World& world, const Table& table) {
  if (view.taker == rules::kNoSeat) {
    return table.gathered[static_cast<std::size_t>(view.viewer)].half_points;
  }
  return PointsOfViewer(view, table, Count(view, world, table));
}

}  // namespace tarot::ai
