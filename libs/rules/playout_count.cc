#include <bit>

#include "libs/rules/playout.h"
#include "libs/rules/playout_bits.h"

namespace tarot::rules {
namespace {

using Words = Playout::Words;

int FastHalfPoints(Words cards) {
  constexpr std::uint64_t kKings = CardSet::Kings().suits();
  int sum = std::popcount(cards[0]) + std::popcount(cards[1]);
  for (int rank = 0; rank < 4; ++rank) {  // King, Queen, Knight, Jack.
    sum += (8 - 2 * rank) * std::popcount(cards[0] & kKings >> rank);
  }
  return sum + 8 * std::popcount(cards[1] & CardSet::Bouts().trumps());
}

bool Attacks(const Playout& p, Seat seat) { return (p.attack >> seat & 1u) != 0; }

bool AttackOwnsExcuse(const RuleSet& rules, const Playout& p) {
  const bool held = Attacks(p, p.excuse_holder);
  if (p.excuse_left != 0) return held;
  switch (rules.excuse_last_trick) {
    case ExcuseLastTrick::kChangesCamp: {
      // A camp that has won every trick keeps it.
      const bool slam = (held ? p.defence_tricks : p.attack_tricks) == 0 &&
                        (held || rules.excuse_slam_applies_to_defence);
      return slam == held;
    }
    case ExcuseLastTrick::kToTrickWinner:
      return Attacks(p, p.excuse_winner);
    case ExcuseLastTrick::kNeverLost:
      break;
  }
  return held;
}

int PetitAuBout(const RuleSet& rules, const Playout& p) {
  const bool trick_before = p.excuse_led_slam && rules.petit_au_bout_slam_previous_trick;
  if (p.petit_left != 0 && !(trick_before && p.petit_left == 1)) return 0;
  const bool must_win = rules.petit_au_bout_condition == PetitAuBoutCondition::kWinsLastTrick;
  if (must_win && p.petit_winner != p.petit_holder) return 0;
  return Attacks(p, p.petit_winner) ? 1 : -1;
}

SlamOutcome SlamOf(const Deal& deal, const Playout& p) {
  const bool announced = deal.slam_announced;
  if (p.defence_tricks <= deal.rules.slam_lost_tricks_max) {
    return announced ? SlamOutcome::kAnnouncedMade : SlamOutcome::kUnannouncedMade;
  }
  if (p.attack_tricks == 0) {
    return announced ? SlamOutcome::kAnnouncedFailedDefence : SlamOutcome::kDefence;
  }
  return announced ? SlamOutcome::kAnnouncedFailed : SlamOutcome::kNone;
}

}  // namespace

ScoreInput CountPlayout(const Deal& deal, const Playout& p) {
  ScoreInput input{.players = deal.playing,
                   .contract = deal.contract,
                   .petit_au_bout = PetitAuBout(deal.rules, p),
                   .slam = SlamOf(deal, p),
                   .has_partner = deal.partner != kNoSeat};
  const CardSet aside =
      deal.discard | (deal.contract == Contract::kGardeSans ? deal.dog : CardSet{});
  const Words cards = {p.attack_cards[0] | aside.suits(), p.attack_cards[1] | aside.trumps()};
  input.attack_half_points = FastHalfPoints(cards);
  bool attack_owns_excuse = (cards[1] & kExcuseBit) != 0;
  if (p.excuse_left >= 0) {
    attack_owns_excuse = AttackOwnsExcuse(deal.rules, p);
    const bool attack_won = Attacks(p, p.excuse_winner);
    const bool exchange = deal.rules.ExcuseIsPaid(deal.players);
    const int gain = HalfPoints(kExcuse) - (exchange ? 1 : 0);
    // Without a branch: who wins the trick cannot be guessed.
    input.attack_half_points += gain * (int{attack_owns_excuse} - int{attack_won});
  }
  constexpr std::uint64_t kPetitAndTwentyOne = CardSet::Bouts().trumps() & ~kExcuseBit;
  input.bouts = std::popcount(cards[1] & kPetitAndTwentyOne) + attack_owns_excuse;
  input.honours = std::popcount(cards[0] & Courts().suits()) + input.bouts;
  for (int i = 0; i < deal.handful_count; ++i) {
    const ShownHandful& shown = deal.handfuls[static_cast<std::size_t>(i)];
    auto& camp = deal.InAttack(shown.seat) ? input.attack_handfuls : input.defence_handfuls;
    ++camp[static_cast<std::size_t>(shown.level)];
  }
  return input;
}

}  // namespace tarot::rules
