#include "libs/ai/analysis/open_hand.h"

#include <algorithm>

#include "libs/ai/endgame.h"
#include "libs/ai/knowledge.h"

namespace tarot::ai {
namespace {

using rules::CardSet;
using rules::Deal;
using rules::View;

// For one decision: room for the proofs of some ten tricks.
constexpr std::size_t kTableBytes = std::size_t{4} << 20;
// Of the nodes, for the question that is answered first.
constexpr std::uint64_t kContractShare = 4;

// The truth as a world: what the viewer does not see, and nobody holds, lies aside.
World TrueWorld(const Deal& deal, const Knowledge& knowledge) {
  World world{.hands = deal.hands, .aside = knowledge.unseen};
  for (const CardSet hand : deal.hands) world.aside -= hand;
  return world;
}

}  // namespace

OpenJudgement JudgeOpen(const Deal& deal, const View& view, std::uint64_t node_cap) {
  OpenJudgement judgement;
  const std::optional<Knowledge> knowledge = Know(view);
  if (deal.phase != rules::Phase::kPlaying || !Endgame::Applies(view) || !knowledge) {
    return judgement;
  }
  const World world = TrueWorld(deal, *knowledge);
  const Table table = MakeTable(view, world);
  Endgame endgame(view, kTableBytes);
  // Cheap beside the rest: whoever cannot answer it need not ask for each card's worth.
  const Answer made = endgame.ContractMade(world, table, node_cap / kContractShare + 1);
  if (made == Answer::kUnknown) return judgement;
  judgement.contract_made = made == Answer::kYes;
  const auto worths = endgame.Solve(world, table, node_cap);
  if (worths.empty()) return judgement;
  const auto by_points = [](const Endgame::Worth& a, const Endgame::Worth& b) {
    return a.double_points < b.double_points;
  };
  const auto by_margin = [](const Endgame::Worth& a, const Endgame::Worth& b) {
    return a.margin < b.margin;
  };
  const int best = std::max_element(worths.begin(), worths.end(), by_points)->double_points;
  for (const Endgame::Worth& worth : worths) {
    judgement.losses.push_back({worth.card, (best - worth.double_points) * 50});
  }
  judgement.margin =
      (deal.InAttack(deal.turn) ? std::max_element(worths.begin(), worths.end(), by_margin)
                                : std::min_element(worths.begin(), worths.end(), by_margin))
          ->margin;
  return judgement;
}

}  // namespace tarot::ai
