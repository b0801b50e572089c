#include "libs/ai/search_policy.h"

#include <algorithm>

#include "libs/ai/card_search.h"
#include "libs/ai/hand_search.h"
#include "libs/ai/heuristic.h"
#include "libs/ai/knowledge.h"
#include "libs/ai/standard_error.h"

namespace tarot::ai {
namespace {

bool IsHandful(const Candidate& candidate) {
  return candidate.action.kind == rules::Action::Kind::kHandful;
}

// Changes `difference_error` if a handful has the highest value. Then the value of a card is lower
// for two reasons: it lacks the gain of the handful, and it may be worse than the best card. Before
// the call, `difference_error` of a handful is the error of its gain. For a card, it is the error
// of the difference between this card and the best card.
void AddHandfulErrors(std::vector<Candidate>& candidates) {
  Candidate& best =
      *std::max_element(candidates.begin(), candidates.end(),
                        [](const Candidate& a, const Candidate& b) { return a.value < b.value; });
  if (!IsHandful(best) || !best.difference_error) return;
  const int error = *best.difference_error;
  best.difference_error = 0;
  for (Candidate& candidate : candidates) {
    if (candidate.difference_error && candidate.action != best.action) {
      candidate.difference_error = ErrorOfSum(*candidate.difference_error, error);
    }
  }
}

// Adds the handfuls of `advice` to the candidates of `play`. In `advice`, the value of a handful is
// the gain compared with no handful. In the result, the value of a handful is the expected score
// with this handful. So this function adds the expected score without a handful.
Decision WithHandfuls(const HandfulAdvice& advice, Decision play) {
  const int without_it = play.value().value_or(advice.without_it);
  for (Candidate candidate : advice.decision.candidates) {
    *candidate.value += without_it;
    const bool first = advice.pays && candidate.action == advice.decision.action;
    play.candidates.insert(first ? play.candidates.begin() : play.candidates.end(), candidate);
  }
  AddHandfulErrors(play.candidates);
  play.action = play.candidates.front().action;
  play.nodes += advice.decision.nodes;
  return play;
}

}  // namespace

Decision SearchPolicy::Choose(const rules::View& view, Rng rng, const Request& request) const {
  const std::optional<Knowledge> knowledge = Know(view);
  // No deal agrees with this view, so there is nothing to sample. ValidateView() refuses such a
  // view.
  if (!knowledge) return Novice().Choose(view, rng, request);
  Request hand = request;
  if (hand.node_budget == 0) hand.node_budget = budget_.node_budget;
  switch (view.phase) {
    case rules::Phase::kBidding:
      return ChooseBid(view, *knowledge, rng, hand, budget_);
    case rules::Phase::kCalling:
      return ChooseCall(view, *knowledge, rng, hand, budget_);
    case rules::Phase::kDiscarding:
      return ChooseDiscard(view, *knowledge, rng, hand, budget_);
    case rules::Phase::kSlam:
      return ChooseSlam(view, *knowledge, rng, hand);
    default:
      break;
  }
  if (!HandfulIsDue(view)) return ChooseCard(view, *knowledge, rng, request, budget_);
  hand.node_budget /= 4;
  const HandfulAdvice advice = AdviseHandful(view, *knowledge, rng, hand);
  if (advice.pays && !request.consider.has_value()) return WithHandfuls(advice, {});
  return WithHandfuls(advice, ChooseCard(view, *knowledge, rng, request, budget_));
}

}  // namespace tarot::ai
