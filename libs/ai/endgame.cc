#include "libs/ai/endgame.h"

#include <algorithm>

namespace tarot::ai {
namespace {

using rules::Seat;
using rules::View;

// Returns the deal that `view` shows, with the hidden cards of `world`. It fills only the fields
// that the solver reads.
rules::Deal OpenDeal(const View& view, const World& world, const FastDeal& fast) {
  rules::Deal deal;
  deal.rules = view.rules;
  deal.players = view.players;
  deal.playing = view.playing;
  deal.sits_out = view.sits_out;
  deal.phase = view.phase;
  deal.turn = view.turn;
  deal.hands = world.hands;
  if (view.contract == rules::Contract::kGardeSans) {
    deal.dog = world.aside;
  } else if (view.contract != rules::Contract::kGardeContre) {
    deal.discard = world.aside | view.discard | view.discard_shown;
  }
  deal.taker = view.taker;
  deal.contract = view.contract;
  deal.called_card = view.called_card;
  for (Seat seat = 0; seat < view.players; ++seat) {
    if (seat != view.taker && fast.InAttack(seat)) deal.partner = seat;
  }
  deal.tricks = view.tricks;
  deal.trick_count = view.trick_count;
  return deal;
}

// Returns how many units the viewer gets if each defender pays one unit to the attack. A defender
// gets -1, and the partner gets 1. The taker gets the rest.
int ShareOf(const View& view, const FastDeal& fast, bool has_partner) {
  if (!fast.InAttack(view.viewer)) return -1;
  if (view.viewer != view.taker) return 1;
  return has_partner ? view.playing - 3 : view.playing - 1;
}

bool BonusesOpen(const OpenPosition& position) {
  if (position.petit_before != 0) return true;
  if (position.attack_tricks == 0 ||
      position.defence_tricks <= position.rules.slam_lost_tricks_max) {
    return true;
  }
  rules::CardSet held;
  for (const rules::CardSet hand : position.hands) held |= hand;
  const auto* const end = position.trick.begin() + position.size;
  return held.Contains(rules::kPetit) ||
         std::find(position.trick.begin(), end, rules::kPetit) != end;
}

// Converts the points of a slam to half points of the margin. The result is at most kMost, which is
// more than all card points together. The solver can add kMost without overflow.
int SlamBonus(const View& view, int points) {
  constexpr int kMost = 4000;
  return std::clamp(2 * points / view.rules.Multiplier(view.contract), 0, kMost);
}

bool AllExact(const std::vector<CardValue>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](const CardValue& v) { return v.value.exact(); });
}

}  // namespace

bool Endgame::Applies(const View& view) {
  if (view.taker == rules::kNoSeat || view.rules.scoring != rules::Scoring::kNormal) return false;
  // In some rule sets, a camp gets the points of its handfuls even if it loses the deal. If the
  // handfuls are large, the attack may then do better when it loses the contract. The viewer does
  // not always know the partner, so this check counts the handfuls of all seats except the taker.
  int against = 0;
  for (int i = 0; i < view.handful_count; ++i) {
    const auto& shown = view.handfuls[static_cast<std::size_t>(i)];
    if (shown.seat == view.taker) continue;
    against += view.rules.handful_points[static_cast<std::size_t>(shown.level) - 1];
  }
  const int multiplier = view.rules.Multiplier(view.contract);
  return multiplier > 0 && (view.rules.handful_owner == rules::HandfulOwner::kWinnerOfDeal ||
                            against <= view.rules.base_points * multiplier);
}

Endgame::Endgame(const View& view, std::size_t table_bytes)
    : view_(view),
      contract_(GoalOfContract(view.rules)),
      with_bonuses_(contract_.objective),
      contract_solver_(table_bytes),
      bonus_solver_(table_bytes) {
  const rules::RuleSet& rules = view.rules;
  if (rules.petit_au_bout_mode != rules::PetitAuBoutMode::kAddedToCardPoints) {
    with_bonuses_.petit_au_bout_attack = 2 * rules.petit_au_bout_points;
    with_bonuses_.petit_au_bout_defence = 2 * rules.petit_au_bout_points;
  }
  with_bonuses_.slam_attack =
      SlamBonus(view, view.slam_announced ? rules.slam_announced_points - rules.slam_failed_points
                                          : rules.slam_unannounced_points);
  with_bonuses_.slam_defence = SlamBonus(view, rules.slam_defence_points);
}

Answer Endgame::ContractMade(const World& world, const FastDeal& fast, std::uint64_t node_cap) {
  const OpenPosition position = MakeOpenPosition(OpenDeal(view_, world, fast));
  return contract_solver_.AtLeast(position, contract_.objective, contract_.goal, node_cap);
}

std::vector<Endgame::Worth> Endgame::Solve(const World& world, const FastDeal& fast,
                                           std::uint64_t node_cap) {
  const OpenPosition position = MakeOpenPosition(OpenDeal(view_, world, fast));
  const std::vector<CardValue> margins =
      contract_solver_.EveryCard(position, contract_.objective, node_cap);
  if (!AllExact(margins)) return {};
  std::vector<CardValue> totals = margins;
  if (with_bonuses_ != contract_.objective && BonusesOpen(position)) {
    totals = bonus_solver_.EveryCard(position, with_bonuses_, node_cap);
    if (!AllExact(totals)) return {};
  }
  rules::ScoreInput input = Count(view_, world, fast);
  // With more bouts, the attack has a lower threshold, and the margins already include this. So the
  // scoring formula must not count the bouts again.
  input.bouts = 0;
  input.petit_au_bout = 0;
  input.slam = rules::SlamOutcome::kNone;
  const int share = ShareOf(view_, fast, input.has_partner);
  std::vector<Worth> worths;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    input.attack_half_points = margins[i].value.lower;
    const int bonus = totals[i].value.lower - margins[i].value.lower;
    worths.push_back({.card = margins[i].card,
                      .double_points = 2 * PointsOfViewer(view_, fast, input) +
                                       bonus * view_.rules.Multiplier(view_.contract) * share,
                      .margin = margins[i].value.lower - contract_.goal});
  }
  return worths;
}

}  // namespace tarot::ai
