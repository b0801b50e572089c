// The end of the play in one sampled world: the points of the game that each card is worth when
// both camps play their best with all hands open.
#pragma once

#include <cstddef>
#include <vector>

#include "libs/ai/fast_deal.h"
#include "libs/ai/solver/solver.h"

namespace tarot::ai {

// One decision of `view.viewer`, over any number of worlds.
class Endgame {
 public:
  // Returns whether the points of the game depend only on the solver's objective: two camps play
  // for a contract, and more card points and more bouts are never worse.
  static bool Applies(const rules::View& view);

  // The worlds of one decision are similar, and a proof from one often holds in the next.
  static constexpr std::size_t kTableBytes = std::size_t{1} << 20;

  // Applies(view) holds, and the viewer is to play a card. Each of two tables of proofs takes
  // `table_bytes`.
  explicit Endgame(const rules::View& view, std::size_t table_bytes = kTableBytes);

  struct Worth {
    rules::Card card = rules::kNoCard;
    int double_points = 0;  // Twice the viewer's points, plus a constant common to all cards.
    int margin = 0;         // Half points of the attack above those that its bouts ask for.
  };
  // Returns the worth of every legal card; empty if `node_cap` cards played were not enough.
  //
  // Points rise with the margin of the contract, so the best play for the margin is the best for
  // the points, including the jump at the contract. The Petit au bout and the slam are separate: a
  // second solver, whose objective weighs them by their points, says what they add.
  std::vector<Worth> Solve(const World& world, const FastDeal& fast, std::uint64_t node_cap);

  // Returns whether the contract is made. Much cheaper than Solve().
  Answer ContractMade(const World& world, const FastDeal& fast, std::uint64_t node_cap);

  std::uint64_t nodes() const { return contract_solver_.nodes() + bonus_solver_.nodes(); }

 private:
  const rules::View& view_;
  ContractGoal contract_;
  Objective with_bonuses_;
  Solver contract_solver_;
  Solver bonus_solver_;
};

}  // namespace tarot::ai
