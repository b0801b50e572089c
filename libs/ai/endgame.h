// Solves the end of the play in one sampled world. Finds how many points of the game each card
// earns if all hands are open and both camps play their best.
#pragma once

#include <cstddef>
#include <vector>

#include "libs/ai/fast_deal.h"
#include "libs/ai/solver/solver.h"

namespace tarot::ai {

// Solves one decision of `view.viewer` in any number of worlds, one world in each call.
class Endgame {
 public:
  // Returns whether the solver can find the points of the game for this view. There are two
  // conditions. First, two camps play for a contract. Second, more card points or more bouts never
  // give the attack a worse result.
  static bool Applies(const rules::View& view);

  // The memory for one table of proofs, in bytes. The worlds of one decision are similar. So a
  // proof from one world often also holds in the next world.
  static constexpr std::size_t kTableBytes = std::size_t{1} << 20;

  // Applies(view) must be true, and it must be the viewer's turn to play a card. The object has two
  // tables of proofs, and each table takes `table_bytes`.
  explicit Endgame(const rules::View& view, std::size_t table_bytes = kTableBytes);

  struct Worth {
    rules::Card card = rules::kNoCard;
    // Twice the viewer's points after this card, plus a constant that is the same for all cards.
    int double_points = 0;
    int margin = 0;  // The attack's half points above its threshold at the end.
  };
  // Returns the worth of every legal card. The solver may use `node_cap` nodes to find the margins,
  // and the same number to find the bonuses. If this is not enough, the result is empty.
  std::vector<Worth> Solve(const World& world, const FastDeal& fast, std::uint64_t node_cap);

  // Returns whether the contract is made, or kUnknown if the solver would need more than `node_cap`
  // nodes. ContractMade() needs far fewer nodes than Solve().
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
