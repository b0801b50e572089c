// A bot: it decides from what its seat may know, a seed and a budget in nodes, never from time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/base/rng.h"
#include "libs/rules/view.h"

namespace tarot::ai {

struct Request {
  std::uint64_t node_budget = 0;  // Cards played in the search; 0: the level's own budget.
  // Polled at least every few thousand nodes. Once it returns true, the answer is the best so far.
  // May be empty.
  std::function<bool()> stop;
  // A legal action to evaluate even if the level would not try it.
  std::optional<rules::Action> consider;
};

// An action that was evaluated.
struct Candidate {
  rules::Action action;
  // The viewer's expected score in this deal, in hundredths of a point of the game (without a
  // taker: of a card point). Absent if it was not computed.
  std::optional<int> value;
  int worlds = 0;      // The value is the mean over this many samples of the hidden cards.
  bool exact = false;  // All of them were solved with open hands.
};

struct Decision {
  rules::Action action;
  // The evaluated actions, best first; but `action` comes first, which may be another card among
  // those that the samples do not tell apart (tie_break.h). All cards of a group of equals are
  // listed, with the same value. Empty if the level evaluates nothing.
  std::vector<Candidate> candidates;
  std::uint64_t nodes = 0;  // Cards played in the search.
  int worlds = 0;           // Samples of the hidden cards.
  int solved = 0;           // Samples that were solved with open hands.
  bool stopped = false;     // Whether Request::stop ended the search.

  std::optional<int> value() const {
    return candidates.empty() ? std::nullopt : candidates.front().value;
  }
};

// Stateless and thread-safe. The same view, seed, budget and `consider` give the same decision on
// any machine.
class Policy {
 public:
  virtual ~Policy() = default;
  // `view` is of the seat in turn, and either rules::MakeView() made it or ValidateView() accepts
  // it. For a view that only ValidateShape() accepts, the action may be illegal in every real deal.
  // Without `request.stop` the search always spends its budget.
  virtual Decision Choose(const rules::View& view, Rng rng, const Request& request) const = 0;
};

// Returns the levels for tables, weakest first: "novice", "club", "strong", "expert".
const std::vector<std::string>& Levels();

// Returns nullptr for an unknown level. The policy lives for ever.
const Policy* FindPolicy(absl::string_view level);

// Returns the opponents for matches offline: the levels; "oracle", which takes seconds for a move;
// and "LEVEL/classic", a level with the bids of classic_bid.h. Returns nullptr for another name.
const Policy* FindOpponent(absl::string_view name);

}  // namespace tarot::ai
