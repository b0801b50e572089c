// The end of the play in one sampled world: what each card is worth in points of the game when both
// camps play their best with every hand known.
#pragma once

#include <cstddef>
#include <vector>

#include "libs/ai/solver/solver.h"
#include "libs/ai/table.h"

namespace tarot::ai {

// One decision of `view.viewer`, over any number of worlds.
class Endgame {
 public:
  // Whether the points of the game only depend on what the solver's objective says: two camps that
  // play for a contract, where more card points and more bouts are never worse.
  static bool Applies(const rules::View& view);

  // Worlds of one decision have much in common, and what is proven in one often holds in the next.
  static constexpr std::size_t kTableBytes = std::size_t{1} << 20;

  // Applies(view), and the viewer is to play a card. Each of two tables of proofs takes
  // `table_bytes`.
  explicit Endgame(const rules::View& view, std::size_t table_bytes = kTableBytes);

  struct Worth {
    rules::Card card = rules::kNoCard;
    int double_points = 0;  // Twice the viewer's points, up to what is the same for every card.
    int margin = 0;  // Half points of the attack above what its bouts ask for: made from 0 on.
  };
  // Of every legal card; empty when `node_cap` cards played were not enough.
  //
  // Points rise with the margin of the contract, so the best play for the margin is the best for
  // the points, the jump at the contract included. The Petit au bout and the slam are apart from
  // it: what they add comes from a second value, in which they weigh as much as their points.
  std::vector<Worth> Solve(const World& world, const Table& table, std::uint64_t node_cap);

  // Whether the contract is made; much cheaper than what each card is worth.
  Answer ContractMade(const World& world, const Table& table, std::uint64_t node_cap);

  std::uint64_t nodes() const { return contract_solver_.nodes() + bonus_solver_.nodes(); }

 private:
  const rules::View& view_;
  ContractGoal contract_;
  Objective with_bonuses_;
  Solver contract_solver_;
  Solver bonus_solver_;
};

}  // namespace tarot::ai
