#include "libs/ai/hand_search.h"

#include <algorithm>
#include <limits>

#include "libs/ai/heuristic.h"
#include "libs/ai/sampler.h"
#include "libs/ai/thumb.h"
#include "libs/base/check.h"
#include "libs/rules/bidding.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
using rules::Contract;
using rules::View;

constexpr int kWorldsMax = 400;

Knowledge KnowOrDie(const View& view) {
  const std::optional<Knowledge> knowledge = Know(view);
  TAROT_CHECK(knowledge.has_value());  // WhatIsWrong() says so before.
  return *knowledge;
}

// One decision: its worlds, and what it has spent.
class HandSearch {
 public:
  HandSearch(const View& view, Rng rng, const Request& request)
      : view_(view),
        budget_(request.node_budget),
        sampler_(KnowOrDie(view), view.viewer, view.hand, rng) {}

  Action Bid();
  Action Discard();
  bool HandfulPays();
  std::uint64_t nodes() const { return nodes_; }

 private:
  // At least one world, however small the budget.
  bool Again() const { return worlds_ == 0 || (nodes_ < budget_ && worlds_ < kWorldsMax); }
  const World& NextWorld() {
    ++worlds_;
    return sampler_.Next();
  }
  int PlayOut(const View& view, const World& world) {
    Table table = MakeTable(view, world);
    nodes_ += static_cast<std::uint64_t>(ThumbPlayOut(table));
    return Points(view, world, table);
  }
  int PointsOfContract(const World& world, Contract contract, Card call);

  const View& view_;
  const std::uint64_t budget_;
  std::uint64_t nodes_ = 0;
  int worlds_ = 0;
  Sampler sampler_;
};

// The viewer takes in `world` with `contract`, and calls `call` where a card is called.
int HandSearch::PointsOfContract(const World& world, Contract contract, Card call) {
  View taken = view_;
  taken.phase = rules::Phase::kPlaying;
  taken.taker = view_.viewer;
  taken.contract = contract;
  taken.called_card = call;
  taken.turn = view_.After(view_.dealer, 1);
  World after = world;
  if (contract == Contract::kPrise || contract == Contract::kGarde) {
    CardSet& hand = after.hands[static_cast<std::size_t>(view_.viewer)];
    hand |= world.aside;
    const auto rule = DiscardRuleFor(view_.rules, hand, call, view_.rules.DogSize(view_.players));
    taken.discard = ThumbDiscards(hand, rule, call, 1).front();
    hand -= taken.discard;
    after.aside = CardSet();
  }
  return PlayOut(taken, after);
}

// What passing is worth: others may take, and play-outs are a little gloomy about taking. Between 0
// and -30 the arena sees no difference in points; fewer deals are passed out here.
constexpr int kPassPoints = -20;

Action HandSearch::Bid() {
  std::array<std::int64_t, 5> sums{};
  Card call = rules::kNoCard;
  if (view_.playing == 5) {
    CardSet calls = rules::CallableCards(view_.rules, view_.hand);
    if (!calls.Empty()) call = ThumbCall(view_.hand, calls);
  }
  while (Again()) {
    const World& world = NextWorld();
    for (const Contract c :
         {Contract::kPrise, Contract::kGarde, Contract::kGardeSans, Contract::kGardeContre}) {
      if (!view_.legal.bids[static_cast<std::size_t>(c)]) continue;
      sums[static_cast<std::size_t>(c)] += PointsOfContract(world, c, call);
    }
  }
  Contract best = Contract::kPass;
  std::int64_t best_sum = view_.legal.bids[0] ? std::int64_t{worlds_} * kPassPoints
                                              : std::numeric_limits<std::int64_t>::min();
  for (std::size_t c = 1; c < sums.size(); ++c) {
    if (!view_.legal.bids[c] || sums[c] <= best_sum) continue;
    best = static_cast<Contract>(c);
    best_sum = sums[c];
  }
  return Action::Bid(best);
}

Action HandSearch::Discard() {
  constexpr int kShortlist = 8;
  const rules::DiscardRule rule{.allowed = view_.legal.discards,
                                .count = view_.legal.discard_count,
                                .trump_count = view_.legal.discard_trump_count};
  const std::vector<CardSet> shortlist =
      ThumbDiscards(view_.hand, rule, view_.called_card, kShortlist);
  std::array<std::int64_t, kShortlist> sums{};
  View after = view_;
  after.phase = rules::Phase::kPlaying;
  after.turn = view_.After(view_.dealer, 1);
  while (shortlist.size() > 1 && Again()) {
    World world = NextWorld();
    for (std::size_t i = 0; i < shortlist.size(); ++i) {
      after.discard = shortlist[i];
      world.hands[static_cast<std::size_t>(view_.viewer)] = view_.hand - shortlist[i];
      sums[i] += PlayOut(after, world);
    }
  }
  const auto best =
      std::max_element(sums.begin(), sums.begin() + static_cast<long>(shortlist.size()));
  return Action::Discard(shortlist[static_cast<std::size_t>(best - sums.begin())]);
}

// A handful goes to the camp that wins: shown when that is likely to be one's own.
bool HandSearch::HandfulPays() {
  int won = 0;
  while (Again()) won += PlayOut(view_, NextWorld()) > 0 ? 1 : 0;
  return 3 * won >= 2 * worlds_;
}

}  // namespace

Decision ChooseHand(const View& view, Rng rng, const Request& request) {
  if (view.phase != rules::Phase::kBidding && view.phase != rules::Phase::kDiscarding) {
    return Novice().Choose(view, rng, request);
  }
  HandSearch search(view, rng, request);
  Decision decision;
  decision.action = view.phase == rules::Phase::kBidding ? search.Bid() : search.Discard();
  decision.nodes = search.nodes();
  return decision;
}

std::optional<Decision> ChooseHandful(const View& view, Rng rng, const Request& request) {
  const auto& levels = view.legal.handful_levels;
  if (std::none_of(levels.begin(), levels.end(), [](bool b) { return b; })) return std::nullopt;
  HandSearch search(view, rng, request);
  if (!search.HandfulPays()) return std::nullopt;
  Decision decision = Novice().Choose(view, rng, {});
  decision.nodes = search.nodes();
  return decision;
}

}  // namespace tarot::ai
