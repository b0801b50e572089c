// Computes the exact value of a deal in play with all hands open. The value is the points of the
// attack if both camps play their best. Each camp acts as one player: the defence, and the taker
// with the partner.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "libs/ai/solver/open_position.h"

namespace tarot::ai {

// The aim of the attack. All numbers are half points, and none is negative. The value of a deal is
// the attack's card points at the end, plus and minus the amounts below. The card points come from
// the tricks, the écart or dog, and the Excuse.
struct Objective {
  // bout_bonus[b] is the number of half points to add if the attack has b bouts at the end.
  // bout_bonus[b + 1] is at least bout_bonus[b].
  std::array<int, 4> bout_bonus{};
  int petit_au_bout_attack = 0;  // The half points to add when the attack has the Petit au bout.
  // The half points to subtract when the defence has the Petit au bout.
  int petit_au_bout_defence = 0;
  int slam_attack = 0;   // The half points to add when the attack makes the slam.
  int slam_defence = 0;  // The half points to subtract when the defence makes the slam.
  friend bool operator==(const Objective&, const Objective&) = default;
};

// The contract as an objective. The attack makes the contract if the value is at least `goal`, and
// does not make it if the value is lower. The value minus `goal` is the margin: the attack's half
// points above its threshold. The margin includes the Petit au bout if the rule set adds it to the
// card points.
struct ContractGoal {
  Objective objective;
  int goal = 0;
};
ContractGoal GoalOfContract(const rules::RuleSet& rules);

// Proven bounds of a value. The two bounds are equal if the solver's nodes were enough.
struct ValueBounds {
  int lower = 0;
  int upper = 0;
  std::uint64_t nodes = 0;  // The number of cards played in the search.
  bool exact() const { return lower == upper; }
};

enum class Answer : std::uint8_t { kNo, kYes, kUnknown };

// The value of the position after one legal card. EveryCard() returns these values in the order of
// LegalCards().
struct CardValue {
  rules::Card card = rules::kNoCard;
  ValueBounds value;
};

struct ProofTable;

// Solves positions. Not thread-safe. The solver keeps its proofs from one call to the next call if
// both calls have the same Setup (setup.h), apart from Setup::base. The same calls give the same
// answers and node counts on any machine.
class Solver {
 public:
  // `table_bytes` is the memory for the proofs. The solver takes at least 64 KiB.
  explicit Solver(std::size_t table_bytes);
  ~Solver();

  // Returns bounds of the value. If `node_cap` is 0, there is no limit.
  ValueBounds Value(const OpenPosition& position, const Objective& objective,
                    std::uint64_t node_cap = 0);

  // Returns whether the value is at least `goal`, or kUnknown if the nodes ran out.
  Answer AtLeast(const OpenPosition& position, const Objective& objective, int goal,
                 std::uint64_t node_cap = 0);

  // Returns the value of every legal card. `node_cap` is the limit for all cards together.
  std::vector<CardValue> EveryCard(const OpenPosition& position, const Objective& objective,
                                   std::uint64_t node_cap = 0);

  // Returns the number of cards played in all searches so far.
  std::uint64_t nodes() const { return nodes_; }

 private:
  std::unique_ptr<ProofTable> table_;
  std::uint64_t nodes_ = 0;
};

}  // namespace tarot::ai
