// Computes the score of a deal from card points, bouts, Excuse, Petit au bout and slam
// (docs/rules.md sections 7, 10, 11, 12). Scores are in points; card points are in half points.
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

// The facts about a deal from which ComputeScore() computes the score.
struct ScoreInput {
  int players = 4;  // Number of seats that hold cards.
  Contract contract = Contract::kGarde;
  int bouts = 0;               // Bouts of the attack.
  int attack_half_points = 0;  // 0..182
  // Number of court cards and bouts of the attack, for practice game 2.
  int honours = 0;
  // The camp that gets the Petit au bout: 1 is the attack, -1 the defence, 0 none.
  int petit_au_bout = 0;
  // The number of handfuls that each camp has shown at each level; indexed by level 1..3.
  std::array<int, 4> attack_handfuls{};
  std::array<int, 4> defence_handfuls{};
  SlamOutcome slam = SlamOutcome::kNone;
  bool has_partner = false;  // True only with five players.
};

struct Score {
  int needed_half_points = 0;
  bool won = false;
  // The absolute difference between the attack's card points and its threshold, rounded up to whole
  // points. Practice game 2 counts court cards and bouts in place of card points.
  int difference = 0;
  // The points of the slam: positive if the attack gets them, negative if the defence does.
  int slam_points = 0;
  int handful_points = 0;  // The part of `unit` that comes from the handfuls.
  // The points that each defender pays to the attack; negative if the attack pays each defender. In
  // practice games 2 and 3, `unit` is the taker's score.
  int unit = 0;
  // The score of the taker, of the partner and of each defender. The scores of all seats sum to
  // zero, except in a practice game.
  int taker = 0;
  int partner = 0;
  int defender = 0;
};

// Returns the score of a deal with a taker.
Score ComputeScore(const RuleSet& rules, const ScoreInput& input);

// Returns whether a Petit that was played at the end counts as Petit au bout. `seat_won` says
// whether the seat that played the Petit won the trick. `camp_won` says whether the camp of this
// seat won the trick.
bool PetitCounts(PetitAuBoutCondition condition, bool seat_won, bool camp_won);

// Returns the position in `trick` of the card that wins. The trick must be complete. `last` says
// whether it is the last trick of the deal. In a deal with a taker, the Excuse wins the last trick
// if three conditions are true:
// - The camp of the Excuse has won all other tricks.
// - excuse_slam_wins_when_led is set, and the seat of the Excuse leads the trick. If
//   excuse_slam_wins_when_partner_leads is also set, the partner of this seat may lead instead.
// - The camp is the attack, or excuse_slam_applies_to_defence is set.
int WinnerOfTrick(const Deal& deal, const Trick& trick, bool last);

// Returns the result of a deal, after its last card has been played.
DealResult Tally(const Deal& deal);

}  // namespace tarot::rules
