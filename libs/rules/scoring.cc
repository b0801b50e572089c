#include "libs/rules/scoring.h"

#include <algorithm>
#include <cstdlib>

#include "libs/rules/deal.h"

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

// Rounds `value` to the nearest multiple of `step`. A value midway between two multiples is rounded
// away from zero.
int Rounded(int value, int step) {
  const int sign = value < 0 ? -1 : 1;
  return sign * ((std::abs(value) + step / 2) / step) * step;
}

// Returns a score with three fields set: `needed_half_points`, `won` and `difference`.
Score Compare(int half_points, int needed_half_points) {
  Score score;
  score.needed_half_points = needed_half_points;
  score.won = half_points >= needed_half_points;
  // With three or five players the difference may contain half a point, which is rounded up. This
  // favours the attack if it reached the threshold, and the defence if it did not.
  score.difference = (std::abs(half_points - needed_half_points) + 1) / 2;
  return score;
}

// Sets the points of each role. Each defender pays `unit`. With a partner there are three
// defenders: the partner gets one unit and the taker two. Without a partner the taker gets all
// units.
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

// Practice game 2: the taker wins or loses a point for each court card and bout, times the
// multiplier of the bid. The other seats get no points.
Score HonoursScore(const RuleSet& rules, const ScoreInput& in, int needed) {
  Score score = Compare(2 * in.honours, needed);
  score.unit = (score.won ? 1 : -1) * in.honours * rules.Multiplier(in.contract);
  score.taker = score.unit;
  return score;
}

// Practice game 3: the taker wins or loses the points of the contract, and gets no bonus. The other
// seats get no points.
Score DifferenceScore(const RuleSet& rules, const ScoreInput& in, int needed) {
  Score score = Compare(in.attack_half_points, needed);
  const int round_points = (rules.base_points + score.difference) * rules.Multiplier(in.contract);
  score.unit = score.won ? round_points : -round_points;
  score.taker = score.unit;
  return score;
}

absl::Span<const Card> CardsOf(const Trick& trick) {
  return absl::MakeSpan(trick.cards.data(), static_cast<std::size_t>(trick.size));
}

// Returns the number of complete tricks that one camp won. The camp is the attack if `attack` is
// true, and the defence if it is false.
int TricksWon(const Deal& deal, bool attack) {
  int won = 0;
  for (int i = 0; i < deal.trick_count; ++i) {
    const Trick& trick = deal.tricks[static_cast<std::size_t>(i)];
    if (trick.winner != kNoSeat && deal.InAttack(trick.winner) == attack) ++won;
  }
  return won;
}

// Says who played a card, and when. `trick` is the index of the trick, or -1 if the card was not
// played.
struct Played {
  int trick = -1;
  Seat seat = kNoSeat;
};

Played Find(const Deal& deal, Card card) {
  for (int i = 0; i < deal.trick_count; ++i) {
    const Trick& trick = deal.tricks[static_cast<std::size_t>(i)];
    for (int at = 0; at < trick.size; ++at) {
      if (trick.cards[static_cast<std::size_t>(at)] != card) continue;
      return {.trick = i, .seat = deal.After(trick.leader, at)};
    }
  }
  return {};
}

// Returns 1 if the attack made a slam, -1 if the defence made a slam, and 0 if no camp did. The
// attack may lose up to slam_lost_tricks_max tricks and still make a slam.
int SlamWinner(const Deal& deal) {
  const int allowed = deal.rules.slam_lost_tricks_max;
  if (TricksWon(deal, false) <= allowed) return 1;
  return TricksWon(deal, true) == 0 ? -1 : 0;
}

SlamOutcome SlamOf(const Deal& deal) {
  const int winner = SlamWinner(deal);
  if (winner == 1) {
    return deal.slam_announced ? SlamOutcome::kAnnouncedMade : SlamOutcome::kUnannouncedMade;
  }
  if (deal.slam_announced) {
    return winner == -1 ? SlamOutcome::kAnnouncedFailedDefence : SlamOutcome::kAnnouncedFailed;
  }
  return winner == -1 ? SlamOutcome::kDefence : SlamOutcome::kNone;
}

// Returns whether the special rules for the Excuse in a slam apply to one camp. The camp is the
// attack if `attack` is true, and the defence if it is false.
bool SlamRulesApply(const RuleSet& rules, bool attack) {
  return attack || rules.excuse_slam_applies_to_defence;
}

// Says which camp owns the Excuse in the end, and how this changes the half points. At first, all
// cards of the trick count for the winner of the trick. Then `to_attack` half points pass from the
// defence to the attack. If this number is negative, half points pass from the attack to the
// defence.
struct ExcuseSettlement {
  bool attack_owns = false;
  int to_attack = 0;
};

ExcuseSettlement SettleExcuse(const Deal& deal, const Played& excuse) {
  const bool holder_attacks = deal.InAttack(excuse.seat);
  const bool winner_attacks =
      deal.InAttack(deal.tricks[static_cast<std::size_t>(excuse.trick)].winner);
  const bool last = excuse.trick == deal.trick_count - 1;
  bool owner_attacks = holder_attacks;
  if (last) {
    // A camp keeps its Excuse if the other camp has won no trick.
    const bool slam =
        SlamRulesApply(deal.rules, holder_attacks) && TricksWon(deal, !holder_attacks) == 0;
    switch (deal.rules.excuse_last_trick) {
      case ExcuseLastTrick::kChangesCamp:
        owner_attacks = slam == holder_attacks;
        break;
      case ExcuseLastTrick::kToTrickWinner:
        owner_attacks = winner_attacks;
        break;
      case ExcuseLastTrick::kNeverLost:
        break;
      case ExcuseLastTrick::kLostOnlyToSlam:
        if (TricksWon(deal, holder_attacks) == 0) owner_attacks = !holder_attacks;
        break;
    }
  }
  ExcuseSettlement settled{.attack_owns = owner_attacks};
  if (owner_attacks == winner_attacks) return settled;
  // The owner takes the Excuse back. If ExcuseIsPaid(), the owner gives the winner of the trick a
  // card worth half a point in exchange.
  const bool exchange = deal.rules.ExcuseIsPaid(deal.players);
  const int gain = HalfPoints(kExcuse) - (exchange ? 1 : 0);
  settled.to_attack = owner_attacks ? gain : -gain;
  return settled;
}

// Returns 1 if the attack gets the bonus for the Petit au bout, -1 if the defence gets it, and 0 if
// no camp gets it. NormalScore() computes the points of the bonus.
int PetitAuBout(const Deal& deal) {
  const Played petit = Find(deal, kPetit);
  const int last = deal.trick_count - 1;
  const Trick& last_trick = deal.tricks[static_cast<std::size_t>(last)];
  // If the Excuse wins the last trick of a slam, a Petit in the second to last trick also counts as
  // Petit au bout.
  const Played excuse = Find(deal, kExcuse);
  const bool excuse_took_last = deal.rules.petit_au_bout_slam_previous_trick &&
                                excuse.trick == last && excuse.seat == last_trick.winner;
  const bool at_the_end =
      petit.trick == last || (excuse_took_last && petit.trick == last - 1 && petit.trick >= 0);
  if (!at_the_end || petit.trick < 0) return 0;
  const Seat winner = deal.tricks[static_cast<std::size_t>(petit.trick)].winner;
  const bool attack = deal.InAttack(winner);
  if (!PetitCounts(deal.rules.petit_au_bout_condition, winner == petit.seat,
                   attack == deal.InAttack(petit.seat))) {
    return 0;
  }
  return attack ? 1 : -1;
}

// Sets the half points, bouts and honours of the attack in `result`.
void CountCards(const Deal& deal, DealResult& result) {
  CardSet attack;
  for (int i = 0; i < deal.trick_count; ++i) {
    const Trick& trick = deal.tricks[static_cast<std::size_t>(i)];
    if (!deal.InAttack(trick.winner)) continue;
    ++result.tricks;
    for (const Card c : CardsOf(trick)) attack.Insert(c);
  }
  result.trick_half_points = HalfPoints(attack);
  attack |= deal.discard;
  if (deal.contract == Contract::kGardeSans) attack |= deal.dog;
  result.attack_half_points = HalfPoints(attack);
  result.aside_half_points = result.attack_half_points - result.trick_half_points;

  const Played excuse = Find(deal, kExcuse);
  if (excuse.trick >= 0) {
    const ExcuseSettlement settled = SettleExcuse(deal, excuse);
    result.attack_half_points += settled.to_attack;
    result.excuse_half_points = settled.to_attack;
    attack.Erase(kExcuse);
    if (settled.attack_owns) attack.Insert(kExcuse);
  }
  result.bouts = (attack & CardSet::Bouts()).Size();
  result.honours = (attack & Courts()).Size() + result.bouts;
}

ScoreInput InputOf(const Deal& deal, const DealResult& result) {
  ScoreInput input{.players = deal.playing,
                   .contract = deal.contract,
                   .bouts = result.bouts,
                   .attack_half_points = result.attack_half_points,
                   .honours = result.honours,
                   .petit_au_bout = result.petit_au_bout,
                   .slam = result.slam,
                   .has_partner = deal.partner != kNoSeat};
  for (int i = 0; i < deal.handful_count; ++i) {
    const ShownHandful& shown = deal.handfuls[static_cast<std::size_t>(i)];
    auto& camp = deal.InAttack(shown.seat) ? input.attack_handfuls : input.defence_handfuls;
    ++camp[static_cast<std::size_t>(shown.level)];
  }
  return input;
}

// Practice game 1: each seat gets a point for every court card and bout in its own tricks. The
// Excuse counts for the seat that played it.
DealResult TallyAlone(const Deal& deal) {
  DealResult result{.outcome = Outcome::kScored};
  for (int i = 0; i < deal.trick_count; ++i) {
    const Trick& trick = deal.tricks[static_cast<std::size_t>(i)];
    for (int at = 0; at < trick.size; ++at) {
      const Card card = trick.cards[static_cast<std::size_t>(at)];
      if (!Courts().Contains(card) && !IsBout(card)) continue;
      const Seat owner = card == kExcuse ? deal.After(trick.leader, at) : trick.winner;
      ++result.scores[static_cast<std::size_t>(owner)];
    }
  }
  return result;
}

}  // namespace

Score ComputeScore(const RuleSet& rules, const ScoreInput& in) {
  const int needed = 2 * rules.threshold[static_cast<std::size_t>(in.bouts)];
  switch (rules.scoring) {
    case Scoring::kTakerCountsHonours:
      return HonoursScore(rules, in, needed);
    case Scoring::kTakerCountsDifference:
      return DifferenceScore(rules, in, needed);
    // A deal with this scoring has no taker; TallyAlone() scores it.
    case Scoring::kPointPerCourtOrBout:
    case Scoring::kNormal:
      break;
  }
  return NormalScore(rules, in, needed);
}

bool PetitCounts(PetitAuBoutCondition condition, bool seat_won, bool camp_won) {
  switch (condition) {
    case PetitAuBoutCondition::kPetitInLastTrick:
      return true;
    case PetitAuBoutCondition::kWinsLastTrick:
      return seat_won;
    case PetitAuBoutCondition::kCampWinsLastTrick:
      return camp_won;
  }
  return true;
}

int WinnerOfTrick(const Deal& deal, const Trick& trick, bool last) {
  const absl::Span<const Card> cards = CardsOf(trick);
  const bool may_win = deal.rules.excuse_slam_wins_when_led && deal.taker != kNoSeat;
  const auto excuse = std::find(cards.begin(), cards.end(), kExcuse);
  if (may_win && last && excuse != cards.end()) {
    const int at = static_cast<int>(excuse - cards.begin());
    const bool attack = deal.InAttack(deal.After(trick.leader, at));
    const bool led = at == 0 || deal.rules.excuse_slam_wins_when_partner_leads;
    const bool every_trick = TricksWon(deal, !attack) == 0;
    if (led && every_trick && SlamRulesApply(deal.rules, attack)) return at;
  }
  return WinningPosition(cards);
}

DealResult Tally(const Deal& deal) {
  if (deal.taker == kNoSeat) return TallyAlone(deal);
  DealResult result{.outcome = Outcome::kScored};
  CountCards(deal, result);
  result.petit_au_bout = PetitAuBout(deal);
  result.slam = SlamOf(deal);
  result.score = ComputeScore(deal.rules, InputOf(deal, result));
  for (Seat seat = 0; seat < deal.players; ++seat) {
    if (seat == deal.sits_out) continue;
    int& score = result.scores[static_cast<std::size_t>(seat)];
    score = seat == deal.taker     ? result.score.taker
            : seat == deal.partner ? result.score.partner
                                   : result.score.defender;
  }
  return result;
}

}  // namespace tarot::rules
