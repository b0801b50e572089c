#include "libs/ai/evaluation.h"

#include <algorithm>
#include <utility>

#include "libs/ai/heuristic.h"

namespace tarot::ai {

using rules::CardSet;
using rules::Contract;

WorldLoop::WorldLoop(const rules::View& view, const Knowledge& knowledge, Rng rng,
                     const Request& request, int worlds_max)
    : request_(request),
      worlds_max_(worlds_max),
      sampler_(knowledge, view.viewer, view.hand, rng) {}

bool WorldLoop::Again() {
  if (decision_.worlds == 0) return true;
  if (request_.stop && request_.stop()) decision_.stopped = true;
  return !decision_.stopped && decision_.nodes < request_.node_budget &&
         decision_.worlds < worlds_max_;
}

const World& WorldLoop::Next() {
  ++decision_.worlds;
  return sampler_.Next();
}

Decision WorldLoop::Answer(std::vector<Candidate> candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.value > b.value; });
  decision_.action = candidates.front().action;
  decision_.candidates = std::move(candidates);
  return decision_;
}

rules::ScoreInput PlayOutContract(const rules::View& view, const World& world, Contract contract,
                                  rules::Card call, std::uint64_t& nodes,
                                  const StyleWeights* style) {
  rules::View taken = view;
  taken.phase = rules::Phase::kPlaying;
  taken.taker = view.viewer;
  taken.contract = contract;
  taken.called_card = call;
  const bool announcer_leads = view.slam_announced && view.rules.slam_announcer_leads;
  taken.turn = announcer_leads ? view.viewer : view.After(view.dealer, 1);
  World after = world;
  if (contract == Contract::kPrise || contract == Contract::kGarde) {
    CardSet& hand = after.hands[static_cast<std::size_t>(view.viewer)];
    hand |= world.aside;
    const auto rule = DiscardRuleFor(view.rules, hand, call, view.rules.DogSize(view.players));
    taken.discard = HeuristicDiscards(hand, rule, call, 1).front();
    hand -= taken.discard;
    after.aside = CardSet();
  }
  FastDeal deal = MakeFastDeal(taken, after);
  const int cards = style != nullptr ? StylePlayOut(deal, *style) : HeuristicPlayOut(deal);
  nodes += static_cast<std::uint64_t>(cards);
  return Count(taken, after, deal);
}

int MarginOf(const rules::ScoreInput& input) {
  constexpr rules::RuleSet kFederation;
  return input.attack_half_points -
         2 * kFederation.threshold[static_cast<std::size_t>(input.bouts)];
}

}  // namespace tarot::ai
