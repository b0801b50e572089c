#include "libs/rules/scoring.h"

#include <cstdlib>

namespace tarot::rules {
namespace {

int SlamPoints(const RuleSet& rules, SlamOutcome slam) {
  switch (slam) {
    case SlamOutcome::kNone:
      return 0;
    case SlamOutcome::kAnnouncedMade:
      return rules.slam_announced_points;
    case SlamOutcome::kUnannouncedMade:
      return rules.slam_unannounced_points;
    case SlamOutcome::kAnnouncedFailed:
      return rules.slam_failed_points;
    case SlamOutcome::kDefence:
      return -rules.slam_defence_points;
    case SlamOutcome::kAnnouncedFailedDefence:
      return rules.slam_failed_points - rules.slam_defence_points;
  }
  return 0;
}

int HandfulSum(const RuleSet& rules, const std::array<int, 4>& shown) {
  int sum = 0;
  for (std::size_t level = 1; level <= 3; ++level) {
    sum += shown[level] * rules.handful_points[level - 1];
  }
  return sum;
}

}  // namespace

Score ComputeScore(const RuleSet& rules, const ScoreInput& in) {
  Score score;
  const bool petit_in_points = rules.petit_au_bout_mode == PetitAuBoutMode::kAddedToCardPoints;
  const int petit = in.petit_au_bout * rules.petit_au_bout_points;
  const int half_points = in.attack_half_points + (petit_in_points ? 2 * petit : 0);

  score.needed_half_points = 2 * rules.threshold[static_cast<std::size_t>(in.bouts)];
  score.won = half_points >= score.needed_half_points;
  // With three and five players a half point may be left: it goes to who wins the contract.
  score.difference = (std::abs(half_points - score.needed_half_points) + 1) / 2;

  const int sign = score.won ? 1 : -1;
  const int multiplier = rules.Multiplier(in.contract);
  const int attack = HandfulSum(rules, in.attack_handfuls);
  const int defence = HandfulSum(rules, in.defence_handfuls);
  const bool to_winner = rules.handful_owner == HandfulOwner::kWinnerOfDeal;
  score.handful_points = sign * (to_winner ? attack + defence : attack - defence);
  score.slam_points = SlamPoints(rules, in.slam);
  score.unit = sign * (rules.base_points + score.difference) * multiplier +
               (petit_in_points ? 0 : petit * multiplier) + score.handful_points +
               score.slam_points;

  const int opponents = in.players - (in.has_partner ? 2 : 1);
  score.defender = -score.unit;
  score.partner = in.has_partner ? score.unit : 0;
  score.taker = score.unit * opponents - score.partner;
  return score;
}

}  // namespace tarot::rules
