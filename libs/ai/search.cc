#include "libs/ai/search.h"

#include "libs/ai/bid_search.h"
#include "libs/ai/hand_search.h"

namespace tarot::ai {
namespace {

// With the values of the handfuls added to that of the play without.
Decision WithHandfuls(const HandfulAdvice& advice, Decision play) {
  const int without_it = play.value().value_or(advice.without_it);
  for (Candidate candidate : advice.decision.candidates) {
    *candidate.value += without_it;
    const bool first = advice.pays && candidate.action == advice.decision.action;
    play.candidates.insert(first ? play.candidates.begin() : play.candidates.end(), candidate);
  }
  play.action = play.candidates.front().action;
  play.nodes += advice.decision.nodes;
  return play;
}

}  // namespace

Decision Sampling::Choose(const rules::View& view, Rng rng, const Request& request) const {
  Request hand = request;
  if (hand.node_budget == 0) hand.node_budget = effort_.node_budget;
  switch (view.phase) {
    case rules::Phase::kBidding:
      return ChooseBid(view, rng, hand);
    case rules::Phase::kCalling:
      return ChooseCall(view, rng, hand, effort_);
    case rules::Phase::kDiscarding:
      return ChooseDiscard(view, rng, hand, effort_);
    case rules::Phase::kSlam:
      return ChooseSlam(view, rng, hand);
    default:
      break;
  }
  if (!HandfulIsDue(view)) return ChooseCard(view, rng, request, effort_);
  hand.node_budget /= 4;
  const HandfulAdvice advice = AdviseHandful(view, rng, hand);
  if (advice.pays && !request.consider.has_value()) return WithHandfuls(advice, {});
  return WithHandfuls(advice, ChooseCard(view, rng, request, effort_));
}

}  // namespace tarot::ai
