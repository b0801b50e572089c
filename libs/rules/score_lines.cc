#include "libs/rules/score_lines.h"

namespace tarot::rules {
namespace {

bool InAttack(const View& view, Seat seat) {
  return seat == view.taker || (seat != kNoSeat && seat == view.partner);
}

void AddCardPoints(const View& view, std::vector<CardPointsLine>& lines) {
  using Source = CardPointsLine::Source;
  const DealResult& result = view.result;
  const Source aside = view.contract == Contract::kGardeSans ? Source::kDog : Source::kDiscard;
  const CardPointsLine all[] = {
      {.source = Source::kTricks, .half_points = result.trick_half_points, .tricks = result.tricks},
      {.source = aside, .half_points = result.aside_half_points},
      {.source = Source::kExcuseMoved, .half_points = result.excuse_half_points}};
  for (const CardPointsLine& line : all) {
    if (line.half_points != 0) lines.push_back(line);
  }
}

// Adds the lines of the bonuses, which the practice games do not have.
void AddBonuses(const View& view, int sign, std::vector<UnitLine>& lines) {
  using Kind = UnitLine::Kind;
  const RuleSet& rules = view.rules;
  const int multiplier = rules.Multiplier(view.contract);
  if (rules.petit_au_bout_mode != PetitAuBoutMode::kAddedToCardPoints) {
    lines.push_back({.kind = Kind::kPetitAuBout,
                     .points = view.result.petit_au_bout * rules.petit_au_bout_points * multiplier,
                     .base = rules.petit_au_bout_points,
                     .multiplier = multiplier});
  }
  for (int i = 0; i < view.handful_count; ++i) {
    const ShownHandful& shown = view.handfuls[static_cast<std::size_t>(i)];
    const int points = rules.handful_points[static_cast<std::size_t>(shown.level) - 1];
    const bool own =
        rules.handful_owner == HandfulOwner::kWinnerOfDeal || InAttack(view, shown.seat);
    lines.push_back({.kind = Kind::kHandful,
                     .points = sign * (own ? points : -points),
                     .seat = shown.seat,
                     .level = shown.level});
  }
  lines.push_back({.kind = Kind::kSlam, .points = view.result.score.slam_points});
}

void AddUnit(const View& view, std::vector<UnitLine>& lines) {
  using Kind = UnitLine::Kind;
  const RuleSet& rules = view.rules;
  const Score& score = view.result.score;
  const int sign = score.won ? 1 : -1;
  const int multiplier = rules.Multiplier(view.contract);
  std::vector<UnitLine> all;
  if (rules.scoring == Scoring::kTakerCountsHonours) {
    const int honours = view.result.honours;
    all.push_back({.kind = Kind::kHonours,
                   .points = sign * honours * multiplier,
                   .difference = honours,
                   .multiplier = multiplier});
  } else {
    all.push_back({.kind = Kind::kContract,
                   .points = sign * (rules.base_points + score.difference) * multiplier,
                   .base = rules.base_points,
                   .difference = score.difference,
                   .multiplier = multiplier});
  }
  if (rules.scoring == Scoring::kNormal) AddBonuses(view, sign, all);
  int sum = 0;
  for (const UnitLine& line : all) sum += line.points;
  all.push_back({.kind = Kind::kRounding, .points = score.unit - sum});
  for (const UnitLine& line : all) {
    if (line.points != 0) lines.push_back(line);
  }
}

// Returns whether the view says where the card points and the handfuls came from. A score sheet
// that has only numbers does not say this.
bool PartsAreKnown(const View& view) {
  const DealResult& result = view.result;
  if (result.trick_half_points + result.aside_half_points + result.excuse_half_points !=
      result.attack_half_points) {
    return false;
  }
  return view.handful_count > 0 || result.score.handful_points == 0;
}

}  // namespace

std::optional<ScoreLines> LinesOf(const View& view) {
  if (view.result.outcome != Outcome::kScored || view.taker == kNoSeat) return std::nullopt;
  if (!PartsAreKnown(view)) return std::nullopt;
  ScoreLines lines;
  AddCardPoints(view, lines.card_points);
  AddUnit(view, lines.unit);
  const bool practice = view.rules.scoring != Scoring::kNormal;
  const int opponents = view.playing - (view.partner == kNoSeat ? 1 : 2);
  for (Seat seat = 0; seat < view.players; ++seat) {
    int& share = lines.shares[static_cast<std::size_t>(seat)];
    if (seat == view.sits_out) continue;
    if (practice) {
      share = seat == view.taker ? 1 : 0;
    } else if (seat == view.taker) {
      share = opponents - (view.partner == kNoSeat ? 0 : 1);
    } else {
      share = seat == view.partner ? 1 : -1;
    }
  }
  return lines;
}

}  // namespace tarot::rules
