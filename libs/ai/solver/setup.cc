#include "libs/ai/solver/setup.h"

#include <algorithm>

#include "libs/base/check.h"

namespace tarot::ai {
namespace {

using rules::Card;
using rules::CardSet;
using rules::Seat;

// Returns the seat that holds `card`, or that has played `card` to the trick in play. Returns
// kNoSeat if there is no such seat.
Seat HolderOf(const OpenPosition& position, Card card) {
  for (Seat seat = 0; seat < position.players; ++seat) {
    if (position.hands[static_cast<std::size_t>(seat)].Contains(card)) return seat;
  }
  for (int i = 0; i < position.size; ++i) {
    if (position.trick[static_cast<std::size_t>(i)] != card) continue;
    return (position.leader + i) % position.players;
  }
  return rules::kNoSeat;
}

// Makes the range of `setup.excuse` large enough for every gain that the Excuse can bring in the
// last trick.
void FillExcusePot(Setup& setup) {
  if (!setup.excuse_in_play) return;
  for (const bool petit : {false, true}) {
    for (const bool owner : {false, true}) {
      for (const bool falls : {false, true}) {
        if (falls && !setup.twenty_one_may_fall) continue;
        const int gain = setup.ExcuseGain(petit, owner, falls);
        setup.excuse.low = std::max(setup.excuse.low, -gain);
        setup.excuse.high = std::max(setup.excuse.high, gain);
      }
    }
  }
}

void CheckObjective(const Objective& objective) {
  const auto& bonus = objective.bout_bonus;
  TAROT_CHECK(bonus[0] >= 0 && std::is_sorted(bonus.begin(), bonus.end()));
  TAROT_CHECK(objective.petit_au_bout_attack >= 0 && objective.petit_au_bout_defence >= 0);
  TAROT_CHECK(objective.slam_attack >= 0 && objective.slam_defence >= 0);
}

void Weigh(const OpenPosition& position, bool petit_in_play, Setup& setup) {
  for (int i = 0; i < rules::kCardCount; ++i) {
    setup.weight[static_cast<std::size_t>(i)] =
        static_cast<std::uint8_t>(HalfPoints(rules::CardAt(i)));
  }
  const auto weight = [&setup](Card card) -> std::uint8_t& {
    return setup.weight[static_cast<std::size_t>(Index(card))];
  };
  weight(rules::kTwentyOne) = 1;
  weight(rules::kExcuse) = position.rules.excuse_is_paid ? 1 : 0;
  setup.excuse_worth = HalfPoints(rules::kExcuse) - weight(rules::kExcuse);
  if (petit_in_play) {
    const int swing = setup.Bonus(setup.BookedBouts(true)) - setup.Bonus(setup.BookedBouts(false));
    weight(rules::kPetit) = static_cast<std::uint8_t>(HalfPoints(rules::kPetit) + swing);
  }
}

}  // namespace

int Setup::ExcuseGain(bool attack_has_petit, bool attack_owns, bool twenty_one_falls) const {
  int bouts = BookedBouts(attack_has_petit);
  int gain = -Bonus(bouts);
  if (attack_owns != excuse_of_attack) {
    gain += attack_owns ? excuse_worth : -excuse_worth;
    bouts += attack_owns ? 1 : -1;
  }
  if (twenty_one_falls) {
    const int worth = HalfPoints(rules::kTwentyOne) - 1;
    gain += twenty_one_of_attack ? -worth : worth;
    bouts += twenty_one_of_attack ? -1 : 1;
  }
  return gain + Bonus(bouts);
}

Setup MakeSetup(const OpenPosition& position, const Objective& objective) {
  CheckObjective(objective);
  const Seat petit = HolderOf(position, rules::kPetit);
  const Seat excuse = HolderOf(position, rules::kExcuse);
  const Seat twenty_one = HolderOf(position, rules::kTwentyOne);
  Setup setup{.players = position.players, .attack = position.attack, .rules = position.rules};
  setup.bout_bonus = objective.bout_bonus;
  setup.petit_in_play = petit != rules::kNoSeat;
  setup.excuse_in_play = excuse != rules::kNoSeat;
  setup.excuse_of_attack = setup.excuse_in_play && position.InAttack(excuse);
  setup.twenty_one_in_play = twenty_one != rules::kNoSeat;
  setup.twenty_one_of_attack = setup.twenty_one_in_play && position.InAttack(twenty_one);
  setup.fixed_bouts = position.attack_bouts - (position.attack_has_petit ? 1 : 0);
  const int lost = setup.excuse_of_attack ? position.defence_tricks : position.attack_tricks;
  setup.twenty_one_may_fall = setup.excuse_in_play && setup.twenty_one_in_play && lost == 0 &&
                              setup.excuse_of_attack != setup.twenty_one_of_attack;
  Weigh(position, setup.petit_in_play, setup);

  setup.petit_au_bout_attack = objective.petit_au_bout_attack;
  setup.petit_au_bout_defence = objective.petit_au_bout_defence;
  setup.slam_attack = objective.slam_attack;
  setup.slam_defence = objective.slam_defence;
  const bool last_trick = position.TricksLeft() == 1;
  const bool petit_before = setup.excuse_in_play && last_trick && position.petit_before != 0;
  if (setup.petit_in_play || petit_before) {
    setup.petit = {objective.petit_au_bout_defence, objective.petit_au_bout_attack};
  }
  if (position.attack_tricks == 0 ||
      position.defence_tricks <= position.rules.slam_lost_tricks_max) {
    setup.slam = {objective.slam_defence, objective.slam_attack};
  }
  FillExcusePot(setup);

  setup.base = position.attack_half_points - setup.petit.low - setup.excuse.low - setup.slam.low;
  if (setup.excuse_of_attack) setup.base += setup.excuse_worth;
  if (setup.twenty_one_of_attack) setup.base += HalfPoints(rules::kTwentyOne) - 1;
  setup.base += setup.Bonus(setup.BookedBouts(position.attack_has_petit && !setup.petit_in_play));
  return setup;
}

}  // namespace tarot::ai
