#include "libs/ai/fast_deal.h"

namespace tarot::ai {
namespace {

using rules::Card;
using rules::CardSet;
using rules::Seat;
using rules::Suit;

// Returns a bit for each seat of the attack: the taker, and the player who holds or has played the
// called card. In a deal without a taker every seat plays alone, so the function returns only the
// viewer's bit.
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

// Returns the cards that count for the attack although the attack did not win them in a trick.
CardSet OwnedAside(const rules::View& view, CardSet aside) {
  if (view.contract == rules::Contract::kGardeContre) return CardSet();
  return aside | view.discard_shown | view.discard;
}

// Returns whether the attack owns an Excuse that was played (docs/rules.md, "Ownership of the
// Excuse").
bool AttackOwnsExcuse(const rules::View& view, const FastDeal& deal) {
  const bool held = deal.InAttack(deal.excuse_owner);
  const bool last = deal.excuse_trick == deal.tricks_played - 1;
  if (!last) return held;
  if (deal.excuse_ends_slam && (held || view.rules.excuse_slam_applies_to_defence)) return held;
  switch (view.rules.excuse_last_trick) {
    case rules::ExcuseLastTrick::kChangesCamp:
      return !held;
    case rules::ExcuseLastTrick::kToTrickWinner:
      return deal.InAttack(deal.excuse_winner);
    case rules::ExcuseLastTrick::kNeverLost:
      return held;
    case rules::ExcuseLastTrick::kLostOnlyToSlam: {
      const bool taken = deal.InAttack(deal.excuse_winner);
      return taken != held && deal.CampHasAllTricks(deal.excuse_winner) ? taken : held;
    }
  }
  return held;
}

// Returns the half points that the attack gets from the Excuse. In some rule sets, the camp that
// keeps the Excuse pays for it: it gives a card of half a point to the camp that won the trick.
int ExcuseHalfPoints(const rules::View& view, const FastDeal& deal, bool attack_owns) {
  // The Excuse has no winner until all seats have played to its trick.
  const bool attack_won = deal.excuse_winner != rules::kNoSeat && deal.InAttack(deal.excuse_winner);
  const int value = attack_owns ? HalfPoints(rules::kExcuse) : 0;
  if (attack_owns == attack_won) return value;
  if (!view.rules.ExcuseIsPaid(view.players)) return value;
  return attack_owns ? value - 1 : value + 1;
}

int PetitAuBout(const rules::View& view, const FastDeal& deal) {
  const int last = deal.tricks_played - 1;
  if (deal.petit_trick < 0) return 0;
  const bool before = deal.excuse_takes_last && view.rules.petit_au_bout_slam_previous_trick;
  if (deal.petit_trick != last && !(before && deal.petit_trick == last - 1)) return 0;
  const bool attack = deal.InAttack(deal.petit_winner);
  const bool counts =
      rules::PetitCounts(view.rules.petit_au_bout_condition, deal.petit_winner == deal.petit_owner,
                         attack == deal.InAttack(deal.petit_owner));
  if (!counts) return 0;
  return attack ? 1 : -1;
}

rules::SlamOutcome Slam(const rules::View& view, const FastDeal& deal) {
  int attack_tricks = 0;
  for (Seat seat = 0; seat < deal.players; ++seat) {
    if (deal.InAttack(seat)) attack_tricks += deal.gathered[static_cast<std::size_t>(seat)].tricks;
  }
  const int lost = deal.tricks_played - attack_tricks;
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

CardSet FastDeal::Legal() const {
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

void FastDeal::Play(Card card) {
  Hand(turn).Erase(card);
  held.Erase(card);
  trick.Insert(card);
  if (card == rules::kPetit) petit_owner = turn;
  if (card == rules::kExcuse) {
    excuse_owner = turn;
    excuse_trick = tricks_played;
    // If the leader leads the Excuse, the leader wins the trick only if no other seat plays a card
    // after the Excuse.
    if (size == 0) winner = turn;
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

void FastDeal::EndTrick() {
  const bool has_excuse = trick.Contains(rules::kExcuse);
  if (has_excuse && held.Empty() && CampHasAllTricks(excuse_owner)) {
    // All seats have played, so `turn` is again the seat that led the trick.
    excuse_takes_last = (excuse_owner == turn || excuse_wins_when_partner_leads) &&
                        excuse_may_win[InAttack(excuse_owner) ? 1 : 0];
    if (excuse_takes_last) winner = excuse_owner;
    excuse_ends_slam = SameCamp(winner, excuse_owner);
  }
  if (has_excuse) excuse_winner = winner;
  Gathered& pile = gathered[static_cast<std::size_t>(winner)];
  pile.half_points += HalfPoints(trick - CardSet{rules::kExcuse});
  pile.bouts += (trick & CardSet{rules::kPetit, rules::kTwentyOne}).Size();
  pile.courts += (trick & rules::Courts()).Size();
  ++pile.tricks;
  winners |= 1u << winner;
  waiting = AllSeats();
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

FastDeal MakeFastDeal(const rules::View& view, const World& world) {
  FastDeal deal;
  deal.players = view.players;
  deal.playing = view.playing;
  deal.sits_out = view.sits_out;
  const bool may_win = view.rules.excuse_slam_wins_when_led && view.taker != rules::kNoSeat;
  deal.excuse_may_win = {may_win && view.rules.excuse_slam_applies_to_defence, may_win};
  deal.excuse_wins_when_partner_leads = view.rules.excuse_slam_wins_when_partner_leads;
  deal.taker = view.taker;
  deal.attack = AttackCamp(view, world);
  deal.waiting = deal.AllSeats();
  // Replays the tricks so far. The hands of `world` no longer have the cards of these tricks. So
  // `held` begins with all cards, and Play() removes the cards of the tricks one by one.
  deal.held = CardSet::All();
  for (int i = 0; i < view.trick_count; ++i) {
    const rules::Trick& trick = view.tricks[static_cast<std::size_t>(i)];
    deal.turn = trick.leader;
    for (int k = 0; k < trick.size; ++k) deal.Play(trick.cards[static_cast<std::size_t>(k)]);
  }
  deal.turn = view.turn;
  deal.hands = world.hands;
  deal.held = CardSet();
  for (const CardSet hand : world.hands) deal.held |= hand;
  if (view.called_card != rules::kNoCard && view.rules.call_lead != rules::CallLead::kFree) {
    deal.barred = CardSet::OfSuit(SuitOf(view.called_card)) - CardSet{view.called_card};
  }
  return deal;
}

rules::ScoreInput Count(const rules::View& view, const World& world, const FastDeal& deal) {
  rules::ScoreInput input;
  input.players = view.playing;
  input.contract = view.contract;
  const CardSet aside = OwnedAside(view, world.aside);
  input.attack_half_points = HalfPoints(aside);
  input.bouts = (aside & CardSet::Bouts()).Size();
  input.honours = (aside & rules::Courts()).Size();
  for (Seat seat = 0; seat < deal.players; ++seat) {
    if (!deal.InAttack(seat)) continue;
    const FastDeal::Gathered& pile = deal.gathered[static_cast<std::size_t>(seat)];
    input.attack_half_points += pile.half_points;
    input.bouts += pile.bouts;
    input.honours += pile.courts;
    if (seat != view.taker) input.has_partner = true;
  }
  if (deal.excuse_owner != rules::kNoSeat) {
    const bool attack_owns = AttackOwnsExcuse(view, deal);
    input.attack_half_points += ExcuseHalfPoints(view, deal, attack_owns);
    if (attack_owns) ++input.bouts;
  }
  input.honours += input.bouts;
  input.petit_au_bout = PetitAuBout(view, deal);
  input.slam = Slam(view, deal);
  for (int i = 0; i < view.handful_count; ++i) {
    const rules::ShownHandful& shown = view.handfuls[static_cast<std::size_t>(i)];
    auto& camp = deal.InAttack(shown.seat) ? input.attack_handfuls : input.defence_handfuls;
    ++camp[static_cast<std::size_t>(shown.level)];
  }
  return input;
}

int PointsOfViewer(const rules::View& view, const FastDeal& deal, const rules::ScoreInput& input) {
  const rules::Score score = rules::ComputeScore(view.rules, input);
  if (view.viewer == view.taker) return score.taker;
  if (view.rules.scoring != rules::Scoring::kNormal) {
    return deal.InAttack(view.viewer) ? score.taker : -score.taker;
  }
  return deal.InAttack(view.viewer) ? score.partner : score.defender;
}

int Points(const rules::View& view, const World& world, const FastDeal& deal) {
  if (view.taker == rules::kNoSeat) {
    return deal.gathered[static_cast<std::size_t>(view.viewer)].half_points;
  }
  return PointsOfViewer(view, deal, Count(view, world, deal));
}

}  // namespace tarot::ai
