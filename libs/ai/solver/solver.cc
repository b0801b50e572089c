#include "libs/ai/solver/solver.h"

#include <algorithm>

#include "libs/ai/solver/search.h"
#include "libs/base/check.h"

namespace tarot::ai {
namespace {

constexpr int kAnyCard = -1;
// The width of the first step of the search for the value (see Solve::Value), in half points.
constexpr int kFirstStep = 4;

// Returns how many half points the camps still share in the rest of the play.
int PoolOf(const Setup& setup, const OpenPosition& position) {
  int pool = setup.petit.size() + setup.excuse.size() + setup.slam.size();
  const auto add = [&](rules::Card card) {
    pool += setup.weight[static_cast<std::size_t>(Index(card))];
  };
  for (const rules::CardSet hand : position.hands) {
    for (const rules::Card card : hand) add(card);
  }
  for (int i = 0; i < position.size; ++i) add(position.trick[static_cast<std::size_t>(i)]);
  return pool;
}

// Runs the null windows of one position and one objective. The windows share a node budget.
class Solve {
 public:
  Solve(const OpenPosition& position, const Objective& objective, std::uint64_t node_cap,
        ProofTable& table)
      : position_(position),
        setup_(MakeSetup(position, objective)),
        pool_(PoolOf(setup_, position)),
        capped_(node_cap != 0),
        left_(node_cap),
        table_(table) {
    table_.Prepare(setup_);
  }
  std::uint64_t nodes() const { return nodes_; }

  // Asks whether the value after `card` is at least `goal`. Makes `bounds` narrower with the
  // answer. Returns false if the nodes ran out.
  bool Test(int card, int goal, ValueBounds& bounds) {
    if (capped_ && left_ == 0) return false;
    const WindowResult window =
        search_.window(setup_, position_, card, goal - setup_.base, left_, table_);
    nodes_ += window.nodes;
    bounds.nodes += window.nodes;
    if (capped_) left_ -= std::min(left_, window.nodes);
    if (!window.finished) return false;
    if (window.attack) {
      bounds.lower = std::max(bounds.lower, setup_.base + window.amount);
    } else {
      bounds.upper = std::min(bounds.upper, setup_.base + pool_ - window.amount);
    }
    TAROT_CHECK(bounds.lower <= bounds.upper);
    return true;
  }

  // Returns bounds of the value after `card`. The two bounds are equal if the nodes are enough. The
  // search begins at a guess and asks whether the value is at least this number. It moves the
  // number up or down in growing steps, until the value lies between two numbers. Then it halves
  // the distance between the two bounds until only one value is possible.
  ValueBounds Value(int card) {
    ValueBounds bounds = Everything();
    int goal = setup_.base + search_.guess(setup_, position_, card, table_);
    bool above = false;
    bool below = false;
    for (int step = kFirstStep; !bounds.exact(); step *= 2) {
      goal = std::clamp(goal, bounds.lower + 1, bounds.upper);
      if (!Test(card, goal, bounds)) break;
      (bounds.lower >= goal ? above : below) = true;
      if (above && below) {
        goal = bounds.lower + (bounds.upper - bounds.lower + 1) / 2;
      } else {
        goal = above ? bounds.lower + step : bounds.upper - step + 1;
      }
    }
    return bounds;
  }
  ValueBounds Everything() const { return {.lower = setup_.base, .upper = setup_.base + pool_}; }

 private:
  const OpenPosition& position_;
  const Setup setup_;
  const int pool_;
  const bool capped_;
  std::uint64_t left_;
  std::uint64_t nodes_ = 0;
  ProofTable& table_;
  const SearchCode& search_ = BestSearch();
};

}  // namespace

ContractGoal GoalOfContract(const rules::RuleSet& rules) {
  ContractGoal contract;
  const int needed = 2 * rules.threshold[0];
  for (std::size_t bouts = 0; bouts < rules.threshold.size(); ++bouts) {
    contract.objective.bout_bonus[bouts] = needed - 2 * rules.threshold[bouts];
  }
  if (rules.petit_au_bout_mode == rules::PetitAuBoutMode::kAddedToCardPoints) {
    contract.objective.petit_au_bout_attack = 2 * rules.petit_au_bout_points;
    contract.objective.petit_au_bout_defence = 2 * rules.petit_au_bout_points;
  }
  contract.goal = needed;
  return contract;
}

Solver::Solver(std::size_t table_bytes) : table_(std::make_unique<ProofTable>(table_bytes)) {}
Solver::~Solver() = default;

ValueBounds Solver::Value(const OpenPosition& position, const Objective& objective,
                          std::uint64_t node_cap) {
  Solve solve(position, objective, node_cap, *table_);
  const ValueBounds value = solve.Value(kAnyCard);
  nodes_ += solve.nodes();
  return value;
}

Answer Solver::AtLeast(const OpenPosition& position, const Objective& objective, int goal,
                       std::uint64_t node_cap) {
  Solve solve(position, objective, node_cap, *table_);
  ValueBounds bounds = solve.Everything();
  if (goal <= bounds.lower) return Answer::kYes;
  if (goal > bounds.upper) return Answer::kNo;
  const bool finished = solve.Test(kAnyCard, goal, bounds);
  nodes_ += solve.nodes();
  if (!finished) return Answer::kUnknown;
  return bounds.lower >= goal ? Answer::kYes : Answer::kNo;
}

std::vector<CardValue> Solver::EveryCard(const OpenPosition& position, const Objective& objective,
                                         std::uint64_t node_cap) {
  Solve solve(position, objective, node_cap, *table_);
  std::vector<CardValue> values;
  for (const rules::Card card : LegalCards(position)) {
    values.push_back({card, solve.Value(Index(card))});
  }
  nodes_ += solve.nodes();
  return values;
}

}  // namespace tarot::ai
