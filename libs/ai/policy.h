// A bot. It decides from the facts that its seat may know, a seed and a budget in nodes, never from
// time.
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
  std::uint64_t node_budget = 0;  // Cards that the search may play; 0 means the level's own budget.
  // The search calls this function after each world. Once it returns true, the search ends soon and
  // answers with the best action so far. The function may be empty.
  std::function<bool()> stop;
  // A legal action that the levels that search always evaluate. Without `consider`, they may leave
  // out an action that looks bad, or skip the search if there is only one choice.
  std::optional<rules::Action> consider;
};

// An action that the level has evaluated.
struct Candidate {
  rules::Action action;
  // The viewer's expected score in this deal, in hundredths of a point of the game. If the deal has
  // no taker, it is in hundredths of a card point. Absent if it was not computed.
  std::optional<int> value;
  int worlds = 0;  // The number of samples of the hidden cards. The value is the mean over them.
  bool exact = false;  // True if all samples were solved with open hands.
};

struct Decision {
  rules::Action action;
  // The evaluated actions. The first one is `action`. The others follow, best first. If the samples
  // cannot tell two cards apart, tie_break.h chooses, so `action` may not have the best value. If
  // several cards are equal, all of them are listed, with the same value. Empty if the level
  // evaluates nothing.
  std::vector<Candidate> candidates;
  std::uint64_t nodes = 0;  // The number of cards played in the search.
  int worlds = 0;           // The number of samples of the hidden cards.
  int solved = 0;           // The number of samples that were solved with open hands.
  bool stopped = false;     // True if Request::stop ended the search.

  std::optional<int> value() const {
    return candidates.empty() ? std::nullopt : candidates.front().value;
  }
};

// A policy is stateless and thread-safe. The same view, seed, budget and `consider` give the same
// decision on any machine.
class Policy {
 public:
  virtual ~Policy() = default;
  // Decides for the seat in turn, whose view `view` is. Either rules::RememberedView() made it, or
  // ValidateView() accepts it. The level "novice" also answers a view of rules::MakeView(), which
  // lacks closed cards, with a legal action. For a view that only ValidateShape() accepts, the
  // action may be illegal in every real deal. Without `request.stop`, only the budget ends the
  // search.
  virtual Decision Choose(const rules::View& view, Rng rng, const Request& request) const = 0;
};

// Returns the levels that sit at tables, weakest first: "novice", "club", "sociable", "strong",
// "expert".
const std::vector<std::string>& Levels();

// Returns the policy of a level, or nullptr for an unknown level. The policy lives as long as the
// process.
const Policy* FindPolicy(absl::string_view level);

// Returns an opponent for matches offline. The names are those of the levels; "oracle", which takes
// seconds for a move; and "LEVEL/classic", a level with the bids of classic_bid.h. Returns nullptr
// for another name.
const Policy* FindOpponent(absl::string_view name);

}  // namespace tarot::ai
