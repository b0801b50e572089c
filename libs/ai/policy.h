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
  // The search calls this function after each world. If the function returns true, the search ends
  // soon, and its answer is the best action so far. With an empty function, the search ends only
  // when its budget is used up.
  std::function<bool()> stop;
  // If this action is set, every level that searches must evaluate it. The action must be legal.
  // The search may leave out other actions that look bad. A level usually plays without a search if
  // all legal cards are equal. If `consider` is set, the level searches in this case too.
  std::optional<rules::Action> consider;
};

// An action that the level has evaluated.
struct Candidate {
  rules::Action action;
  // The viewer's expected score in this deal, in hundredths of a point of the game. If the deal has
  // no taker, the unit is a hundredth of a card point. The value is absent if the level did not
  // compute it.
  std::optional<int> value;
  // The number of samples of the hidden cards. `value` is the mean over these samples. For a card,
  // `expert`, `master` and `oracle` correct this mean (promise_model.h). An écart that the search
  // dropped early has fewer samples. Its `value` is the best value minus the mean difference
  // between the best écart and this one in these samples.
  int worlds = 0;
  bool exact = false;  // True if all samples were solved with open hands.
  // The chance that the attack makes its contract after this action, in thousandths. For a card, it
  // is the share of the samples. For a bid, it is the share of the likely margins. It is absent for
  // a pass, for all other actions, without a search, and without a taker.
  std::optional<int> made;
  // The next fields are set only if Request::consider is set.
  // The standard error of the difference between the highest value of all candidates and `value`,
  // in hundredths of a point. For a card, an écart, a call or a slam, it covers only the choice of
  // the samples (standard_error.h). For a bid, it also covers the error of the fitted model.
  std::optional<int> difference_error;
  // The standard error of `made`, in thousandths; for a bid, an upper limit of this error.
  std::optional<int> made_error;
  // For a card: the standard error of the difference between `made` and the `made` of the chosen
  // card, in thousandths. Both cards are played in the same samples, so this error is usually
  // smaller than the errors of the two chances.
  std::optional<int> made_difference_error;
  // For a bid other than a pass: eight of ten likely results are in the range from `low` to `high`,
  // in hundredths of a point.
  std::optional<int> low;
  std::optional<int> high;
};

struct Decision {
  rules::Action action;
  // The evaluated actions. The first candidate is `action`. The other candidates follow, the
  // highest value first, but handfuls that the seat does not show come last. If the samples cannot
  // tell two cards apart, tie_break.h chooses. So `action` does not always have the highest value.
  // Equal cards have one entry each, with the same value. The list is empty if the level evaluates
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
  // Decides for the seat in turn, whose view is `view`. Normally the view comes from
  // rules::RememberedView() or passes ValidateView(), and the action is legal. The level "novice"
  // also gives a legal action for a view of rules::MakeView(), which may lack cards that the seat
  // has seen. For a view that passes only ValidateShape(), the action may be illegal, because
  // perhaps no deal agrees with the view. Without `request.stop`, only the level's budget (or
  // `request.node_budget`) ends the search.
  virtual Decision Choose(const rules::View& view, Rng rng, const Request& request) const = 0;
};

// Returns the levels that the bots of the platform have, weakest first: "novice", "club",
// "sociable", "strong", "expert".
const std::vector<std::string>& Levels();

// Returns the policy of a level, or nullptr for an unknown level. The policy lives as long as the
// process.
const Policy* FindPolicy(absl::string_view level);

// Returns the policy of a level that analyses use: a level of Levels(), or "master", which has ten
// times the budget of "expert". Returns nullptr for any other name. The bots of the platform never
// play as "master", because it is too slow for them.
const Policy* FindJudge(absl::string_view level);

// Returns an opponent for offline matches. `name` is a level of FindJudge(), "oracle" (which takes
// seconds for a move), "LEVEL/classic" (a level that bids by classic_bid.h), or "frozen_expert"
// (the level "expert" as it was on 2026-11-22). Returns nullptr for any other name.
const Policy* FindOpponent(absl::string_view name);

}  // namespace tarot::ai
