#include "libs/ai/hand_search.h"

#include <algorithm>

#include "libs/ai/outlook.h"
#include "libs/ai/thumb.h"
#include "libs/ai/world_loop.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::CardSet;
using rules::View;

// The viewer's points of a deal that is played out from `view`.
int PlayOut(const View& view, const World& world, std::uint64_t& nodes,
            const StyleWeights* style = nullptr) {
  Table table = MakeTable(view, world);
  const int cards = style != nullptr ? StylePlayOut(table, *style) : ThumbPlayOut(table);
  nodes += static_cast<std::uint64_t>(cards);
  return Points(view, world, table);
}

// `view` as the deal begins to be played.
View AtFirstCard(const View& view) {
  View after = view;
  after.phase = rules::Phase::kPlaying;
  const bool announcer_leads = view.slam_announced && view.rules.slam_announcer_leads;
  after.turn = announcer_leads ? view.taker : view.After(view.dealer, 1);
  return after;
}

struct Plan {
  CardSet discard;
  std::int64_t points = 0;
  int worlds = 0;
};

}  // namespace

Decision ChooseDiscard(const View& view, Rng rng, const Request& request, const Effort& effort) {
  constexpr int kShortlist = 12;
  const rules::DiscardRule rule{.allowed = view.legal.discards,
                                .count = view.legal.discard_count,
                                .trump_count = view.legal.discard_trump_count};
  std::vector<Plan> plans;
  for (const CardSet discard : ThumbDiscards(view.hand, rule, view.called_card, kShortlist)) {
    plans.push_back({.discard = discard});
  }
  if (request.consider.has_value() && std::none_of(plans.begin(), plans.end(), [&](const Plan& p) {
        return p.discard == request.consider->cards;
      })) {
    plans.push_back({.discard = request.consider->cards});
  }
  WorldLoop loop(view, rng, request, effort.plan_worlds_max);
  View after = AtFirstCard(view);
  // The worse half is left behind after a third of the budget, and again after two thirds.
  std::size_t alive = plans.size();
  for (std::uint64_t third = 1; third <= 3; ++third) {
    const std::uint64_t until = request.node_budget * third / 3;
    while (loop.Again() && (loop.worlds() == 0 || loop.nodes() < until)) {
      World world = loop.Next();
      const StyleWeights* const own = loop.worlds() % 2 == 0 ? effort.style : nullptr;
      for (std::size_t i = 0; i < alive; ++i) {
        after.discard = plans[i].discard;
        world.hands[static_cast<std::size_t>(view.viewer)] = view.hand - plans[i].discard;
        plans[i].points += PlayOut(after, world, loop.nodes(), own);
        ++plans[i].worlds;
      }
    }
    std::stable_sort(plans.begin(), plans.begin() + static_cast<long>(alive),
                     [](const Plan& a, const Plan& b) { return a.points > b.points; });
    alive = third < 3 ? std::max<std::size_t>(alive / 2, 2) : alive;
    alive = std::min(alive, plans.size());
  }
  std::vector<Candidate> candidates;
  for (const Plan& plan : plans) {
    candidates.push_back({.action = Action::Discard(plan.discard),
                          .value = static_cast<int>(100 * plan.points / plan.worlds),
                          .worlds = plan.worlds});
  }
  return loop.Answer(std::move(candidates));
}

Decision ChooseSlam(const View& view, Rng rng, const Request& request) {
  WorldLoop loop(view, rng, request);
  if (CertainSlam(view.hand) && !request.consider.has_value()) {
    return loop.Answer({{.action = Action::Slam(true)}});
  }
  // Announced before the dog is seen, it is taken in the play-out.
  const bool dog_seen = rules::DogIsShown(view.rules, view.phase, view.contract);
  const bool dog_left = view.contract >= rules::Contract::kGardeSans;
  std::array<std::int64_t, 2> sums{};  // Without and with the announcement.
  while (loop.Again()) {
    const World& world = loop.Next();
    for (const bool announced : {false, true}) {
      View said = view;
      said.slam_announced = announced;
      if (dog_seen || dog_left) {
        sums[announced ? 1 : 0] += PlayOut(AtFirstCard(said), world, loop.nodes());
      } else {
        const auto input = PlayedOut(said, world, view.contract, view.called_card, loop.nodes());
        sums[announced ? 1 : 0] += ComputeScore(view.rules, input).taker;
      }
    }
  }
  std::vector<Candidate> candidates;
  for (const bool announced : {false, true}) {
    candidates.push_back({.action = Action::Slam(announced),
                          .value = loop.Mean(sums[announced ? 1 : 0]),
                          .worlds = loop.worlds()});
  }
  if (CertainSlam(view.hand)) {
    // Play-outs do not see every certain slam.
    candidates[1].value = std::max(candidates[0].value, candidates[1].value);
    std::swap(candidates[0], candidates[1]);
  }
  return loop.Answer(std::move(candidates));
}

bool HandfulIsDue(const View& view) {
  const auto& levels = view.legal.handful_levels;
  return std::any_of(levels.begin(), levels.end(), [](bool due) { return due; });
}

HandfulAdvice AdviseHandful(const View& view, Rng rng, const Request& request) {
  std::vector<View> shown;  // `view` once a handful is shown.
  std::vector<Candidate> candidates;
  const auto show = [&](CardSet cards, int level) {
    shown.push_back(view);
    shown.back().handfuls[static_cast<std::size_t>(view.handful_count)] = {
        .seat = view.viewer, .level = level, .cards = cards};
    ++shown.back().handful_count;
    candidates.push_back({.action = Action::Handful(cards)});
  };
  // The largest first, whose cards another of its size would not change.
  for (int level = 3; level >= 1; --level) {
    if (!view.legal.handful_levels[static_cast<std::size_t>(level)]) continue;
    const int size = view.rules.HandfulSize(view.players, level);
    const bool considered = request.consider.has_value() &&
                            request.consider->kind == Action::Kind::kHandful &&
                            request.consider->cards.Size() == size;
    show(considered ? request.consider->cards : HandfulCards(view.legal.handful_cards, size),
         level);
  }
  WorldLoop loop(view, rng, request);
  std::int64_t without = 0;
  std::vector<std::int64_t> gains(shown.size());
  std::vector<std::int64_t> stakes(shown.size());
  while (loop.Again()) {
    const World& world = loop.Next();
    Table table = MakeTable(view, world);
    loop.nodes() += static_cast<std::uint64_t>(ThumbPlayOut(table));
    const int points = Points(view, world, table);
    without += points;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const int gain = Points(shown[i], world, table) - points;
      gains[i] += gain;
      stakes[i] += std::abs(gain);
    }
  }
  // A handful tells the others how the trumps lie: it must gain a quarter of what is at stake.
  std::size_t best = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    candidates[i].value = loop.Mean(gains[i]);
    candidates[i].worlds = loop.worlds();
    if (gains[i] > gains[best]) best = i;
  }
  HandfulAdvice advice{.pays = gains[best] > 0 && 4 * gains[best] >= stakes[best],
                       .without_it = loop.Mean(without)};
  advice.decision = loop.Answer(std::move(candidates));
  return advice;
}

}  // namespace tarot::ai
