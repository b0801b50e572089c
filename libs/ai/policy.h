// A bot is a function: it computes an action from the facts that its seat may know, a seed, and a
// budget in nodes. Its decision never depends on time.
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
  // answers with the best action so far. An empty function never ends the search.
  std::function<bool()> stop;
  // A legal action. If it is set, every level that searches evaluates it. The search may leave out
  // other actions that look bad. If all legal cards are equal, a level plays one of them without a
  // search, unless `consider` is set.
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
  // The evaluated actions. The first one is `action`. The others follow in falling order of their
  // values, but handfuls that the seat does not show come last. If the samples cannot tell two
  // cards apart, tie_break.h chooses, so `action` does not always have the highest value. Each of
  // several equal cards has its own entry, with the same value. Empty if the level evaluates
  // nothing.
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
  // Decides for the seat in turn, whose view is `view`. The view must come from
  // rules::RememberedView() or pass ValidateView(). The level "novice" also answers a view of
  // rules::MakeView() with a legal action, although this view may lack cards that the seat has
  // seen. If a view passes only ValidateShape(), perhaps no deal agrees with it, and then the
  // action may be illegal. Without `request.stop`, only the level's budget (or
  // `request.node_budget`) ends the search.
  virtual Decision Choose(const rules::View& view, Rng rng, const Request& request) const = 0;
};

// Returns the levels that the bots of the platform have, weakest first: "novice", "club",
// "sociable", "strong", "expert".
const std::vector<std::string>& Levels();

// Returns the policy of a level, or nullptr for an unknown level. The policy lives as long as the
// process.
const Policy* FindPolicy(absl::string_view level);

// Returns an opponent for offline matches. The names are: the levels; "oracle", which takes seconds
// for a move; and "LEVEL/classic", a level that bids by classic_bid.h. Returns nullptr for any
// other name.
const Policy* FindOpponent(absl::string_view name);

}  // namespace tarot::ai
