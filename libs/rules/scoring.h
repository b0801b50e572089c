// The score of a deal: card points, bouts, Excuse, Petit au bout, slam, and the formula
// (docs/rules.md sections 7, 10, 11, 12). Scores are in points, card points in half points.
#pragma once

#include <array>
#include <cstdint>

#include "libs/rules/action.h"
#include "libs/rules/parameters/rule_set.h"

namespace tarot::rules {

struct Deal;
struct DealResult;
struct Trick;

enum class SlamOutcome : std::uint8_t {
  kNone,
  kAnnouncedMade,
  kUnannouncedMade,
  kAnnouncedFailed,
  kDefence,                 // The defence won every trick.
  kAnnouncedFailedDefence,  // The taker announced a slam, and the defence won every trick.
};

// Everything about a deal that the formula uses.
struct ScoreInput {
  int players = 4;  // Number of seats that hold cards.
  Contract contract = Contract::kGarde;
  int bouts = 0;               // Bouts of the attack.
  int attack_half_points = 0;  // 0..182
  // Number of court cards and bouts of the attack, for practice game 2.
  int honours = 0;
  int petit_au_bout = 0;  // 1 for the attack, -1 for the defence, 0 for neither.
  // The number of handfuls that each camp has shown, indexed by level 1..3.
  std::array<int, 4> attack_handfuls{};
  std::array<int, 4> defence_handfuls{};
  SlamOutcome slam = SlamOutcome::kNone;
  bool has_partner = false;  // Only true with five players.
};

struct Score {
  int needed_half_points = 0;
  bool won = false;
  // In points, never negative. A half point is rounded for the camp that wins the contract.
  int difference = 0;
  int slam_points = 0;     // Positive if the attack gets the points.
  int handful_points = 0;  // The part of `unit` that comes from the handfuls.
  // The points that each defender pays to the attack; in a practice game, the taker's points.
  int unit = 0;
  // The points of each role. They sum to zero over the table, except in a practice game.
  int taker = 0;
  int partner = 0;
  int defender = 0;
};

// Returns the score of a deal with a taker. With Scoring::kTakerCountsHonours (practice game 2) the
// needed points and the difference count court cards and bouts.
Score ComputeScore(const RuleSet& rules, const ScoreInput& input);

// Returns the position of the winner of a complete trick of `deal`. If `last`, the trick is the
// last one. Then the Excuse wins if it was led by a camp that has won every trick so far
// (excuse_slam_wins_when_led).
int WinnerOfTrick(const Deal& deal, const Trick& trick, bool last);

// Returns the result of a deal whose last card has been played.
DealResult Tally(const Deal& deal);

}  // namespace tarot::rules
