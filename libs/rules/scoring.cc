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

// To the nearest multiple of `step`, halves away from zero.
int Rounded(int value, int step) {
  const int sign = value < 0 ? -1 : 1;
  return sign * ((std::abs(value) + step / 2) / step) * step;
}

// What is needed, whether it was reached, and by how much.
Score Compare(int half_points, int needed_half_points) {
  Score score;
  score.needed_half_points = needed_half_points;
  score.won = half_points >= needed_half_points;
  // With three and five players a half point may be left: it goes to who wins the contract.
  score.difference = (std::abs(half_points - needed_half_points) + 1) / 2;
  return score;
}

// Each defender pays the unit; the taker shares with a partner two to one.
void Share(const ScoreInput& in, Score& score) {
  const int opponents = in.players - (in.has_partner ? 2 : 1);
  score.defender = -score.unit;
  score.partner = in.has_partner ? score.unit : 0;
  score.taker = score.unit * opponents - score.partner;
}

Score NormalScore(const RuleSet& rules, const ScoreInput& in, int needed) {
  const bool petit_in_points = rules.petit_au_bout_mode == PetitAuBoutMode::kAddedToCardPoints;
  const int petit = in.petit_au_bout * rules.petit_au_bout_points;
  Score score = Compare(in.attack_half_points + (petit_in_points ? 2 * petit : 0), needed);

  const int sign = score.won ? 1 : -1;
  const int multiplier = rules.Multiplier(in.contract);
  const int attack = HandfulSum(rules, in.attack_handfuls);
  const int defence = HandfulSum(rules, in.defence_handfuls);
  const bool to_winner = rules.handful_owner == HandfulOwner::kWinnerOfDeal;
  score.handful_points = sign * (to_winner ? attack + defence : attack - defence);
  score.slam_points = SlamPoints(rules, in.slam);
  const int unit = sign * (rules.base_points + score.difference) * multiplier +
                   (petit_in_points ? 0 : petit * multiplier) + score.handful_points +
                   score.slam_points;
  score.unit = Rounded(unit, rules.round_scores_to);
  Share(in, score);
  return score;
}

// Practice game 2: as many points as courts and bouts, times the bid; only for the taker.
Score HonoursScore(const RuleSet& rules, const ScoreInput& in, int needed) {
  Score score = Compare(2 * in.honours, needed);
  score.unit = (score.won ? 1 : -1) * in.honours * rules.Multiplier(in.contract);
  score.taker = score.unit;
  return score;
}

// Practice game 3: the contract without any bonus; only for the taker.
Score DifferenceScore(const RuleSet& rules, const ScoreInput& in, int needed) {
  Score score = Compare(in.attack_half_points, needed);
  const int round_points = (rules.base_points + score.difference) * rules.Multiplier(in.contract);
  score.unit = score.won ? round_points : -round_points;
  score.taker = score.unit;
  return score;
}

}  // namespace

Score ComputeScore(const RuleSet& rules, const ScoreInput& in) {
  const int needed = 2 * rules.threshold[static_cast<std::size_t>(in.bouts)];
  switch (rules.scoring) {
    case Scoring::kTakerCountsHonours:
      return HonoursScore(rules, in, needed);
    case Scoring::kTakerCountsDifference:
      return DifferenceScore(rules, in, needed);
    case Scoring::kPointPerCourtOrBout:  // Has no taker: Tally() counts it.
    case Scoring::kNormal:
      break;
  }
  return NormalScore(rules, in, needed);
}

}  // namespace tarot::rules
