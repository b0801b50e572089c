// What a deal is worth (docs/rules.md, "Counting and score"). Points are whole; card points are in
// half points.
#pragma once

#include <array>
#include <cstdint>

#include "libs/rules/action.h"
#include "libs/rules/rule_set.h"

namespace tarot::rules {

enum class SlamOutcome : std::uint8_t {
  kNone,
  kAnnouncedMade,
  kUnannouncedMade,
  kAnnouncedFailed,
  kDefence,                 // Every trick to the defence.
  kAnnouncedFailedDefence,  // Announced by the taker, and every trick to the defence.
};

// Everything that the formula asks of a deal.
struct ScoreInput {
  int players = 4;  // Who hold cards.
  Contract contract = Contract::kGarde;
  int bouts = 0;               // Of the attack.
  int attack_half_points = 0;  // 0..182
  int honours = 0;             // Courts and bouts of the attack: practice game 2.
  int petit_au_bout = 0;       // 1 attack, -1 defence, 0 nobody.
  std::array<int, 4>
      attack_handfuls{};  // How many of each level 1..3 its camp has shown; [0] unused.
  std::array<int, 4> defence_handfuls{};
  SlamOutcome slam = SlamOutcome::kNone;
  bool has_partner = false;  // Five players.
};

struct Score {
  int needed_half_points = 0;
  bool won = false;
  int difference = 0;   // Points, never negative; a half point goes to the winner of the contract.
  int slam_points = 0;  // As the attack sees them.
  int handful_points = 0;  // As they enter the unit.
  int unit = 0;            // What each defender pays the attack; in a practice game the taker's.
  int taker = 0;  // What each role gets: these sum to zero over the table, but in a practice game.
  int partner = 0;
  int defender = 0;
};

// The score of a deal with a taker. In practice game 2 (Scoring::kTakerCountsHonours) the points
// that are needed and that differ are courts and bouts.
Score ComputeScore(const RuleSet& rules, const ScoreInput& input);

}  // namespace tarot::rules
