// Exact play of a deal with every hand known: what the attack gets when both camps play their best.
// Whole camps: the defence, and a taker with a partner, act as one player.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "libs/ai/solver/open_position.h"

namespace tarot::ai {

// What the attack plays for, in half points: those of its cards in the end (tricks, écart or dog,
// the Excuse settled), plus these.
struct Objective {
  std::array<int, 4> bout_bonus{};  // By bouts of the attack in the end; rising. Bonuses >= 0.
  int petit_au_bout_attack = 0;     // Added when the attack has the Petit au bout,
  int petit_au_bout_defence = 0;    // taken off when the defence has it.
  int slam_attack = 0;              // Added when the attack makes the slam,
  int slam_defence = 0;             // taken off when the defence does.
  friend bool operator==(const Objective&, const Objective&) = default;
};

// The contract as an objective: made exactly when the value is at least `goal`; and the value is
// above or below the goal by as much as the half points of the attack are above or below those that
// its bouts ask for. Includes the Petit au bout where the rule set adds it to the card points.
struct ContractGoal {
  Objective objective;
  int goal = 0;
};
ContractGoal GoalOfContract(const rules::RuleSet& rules);

// What is known of a value. The bounds meet unless the nodes ran out.
struct ValueBounds {
  int lower = 0;
  int upper = 0;
  std::uint64_t nodes = 0;  // Cards played in the search.
  bool exact() const { return lower == upper; }
};

enum class Answer : std::uint8_t { kNo, kYes, kUnknown };

// The value of the position after each legal card, in the order of LegalCards().
struct CardValue {
  rules::Card card = rules::kNoCard;
  ValueBounds value;
};

struct SearchTable;  // What has been proven so far.

// Not thread-safe; keeps what it proved from call to call, as long as rules, camps and objective
// stay the same. Deterministic: same calls, same answers and nodes, on any machine.
class Solver {
 public:
  // Memory for proven positions: rounded down to a power of two of bytes, at least 64 KiB.
  explicit Solver(std::size_t table_bytes);
  ~Solver();

  // `node_cap` 0: no limit.
  ValueBounds Value(const OpenPosition& position, const Objective& objective,
                    std::uint64_t node_cap = 0);

  // Whether the value is at least `goal`; kUnknown when the nodes ran out.
  Answer AtLeast(const OpenPosition& position, const Objective& objective, int goal,
                 std::uint64_t node_cap = 0);

  // Every legal card's value, all within one `node_cap`.
  std::vector<CardValue> EveryCard(const OpenPosition& position, const Objective& objective,
                                   std::uint64_t node_cap = 0);

  // Cards played in all searches so far.
  std::uint64_t nodes() const { return nodes_; }

 private:
  std::unique_ptr<SearchTable> table_;
  std::uint64_t nodes_ = 0;
};

}  // namespace tarot::ai
