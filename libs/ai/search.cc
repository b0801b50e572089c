#include "libs/ai/search.h"

#include <algorithm>
#include <limits>

#include "libs/ai/endgame.h"
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
using rules::Seat;
using rules::View;

constexpr int kWorldsMax = 400;
// Of the budget, for one world: few endings need more, and those are played out.
constexpr std::uint64_t kWorldShare = 10;

using Sums = std::array<std::int64_t, rules::kCardCount>;  // Twice the points, by Index(card).

// One decision: its worlds, and what it has spent.
class Search {
 public:
  // `exact`: the ends of the worlds are solved.
  Search(const View& view, Rng rng, std::uint64_t node_budget, bool exact)
      : view_(view), budget_(node_budget), sampler_(KnowOrDie(view), view.viewer, view.hand, rng) {
    if (exact) endgame_.emplace(view);
  }

  Action Bid();
  Action Discard();
  Action Play();
  std::uint64_t nodes() const { return nodes_; }

 private:
  static Knowledge KnowOrDie(const View& view) {
    const std::optional<Knowledge> knowledge = Know(view);
    TAROT_CHECK(knowledge.has_value());  // WhatIsWrong() says so before.
    return *knowledge;
  }

  // At least one world, however small the budget; and no more than decide anything near the end,
  // where worlds cost little.
  bool Again() const { return worlds_ == 0 || (nodes_ < budget_ && worlds_ < kWorldsMax); }
  const World& NextWorld() {
    ++worlds_;
    return sampler_.Next();
  }

  int PlayOut(const View& view, const World& world, Table table) {
    while (!table.Over()) {
      table.Play(ThumbCard(table));
      ++nodes_;
    }
    return Points(view, world, table);
  }

  int PointsOfContract(const World& world, Contract contract, Card call);
  bool ShowHandful();
  std::vector<Card> Candidates() const;

  bool Solve(const World& world, const Table& now, Sums& sums);
  void PlayOuts(const World& world, const Table& now, const std::vector<Card>& cards, Sums& sums);

  const View& view_;
  const std::uint64_t budget_;
  std::uint64_t nodes_ = 0;
  int worlds_ = 0;
  Sampler sampler_;
  std::optional<Endgame> endgame_;
};

// The viewer takes in `world` with `contract`, and calls `call` where a card is called.
int Search::PointsOfContract(const World& world, Contract contract, Card call) {
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
  return PlayOut(taken, after, MakeTable(taken, after));
}

// What passing is worth: others may take, and play-outs are a little gloomy about taking. Between 0
// and -30 the arena sees no difference in points; fewer deals are passed out here.
constexpr int kPassPoints = -20;

Action Search::Bid() {
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

Action Search::Discard() {
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
      sums[i] += PlayOut(after, world, MakeTable(after, world));
    }
  }
  const auto best =
      std::max_element(sums.begin(), sums.begin() + static_cast<long>(shortlist.size()));
  return Action::Discard(shortlist[static_cast<std::size_t>(best - sums.begin())]);
}

// Legal cards, one of each run of equals: neighbours of the same worth with no card out between.
std::vector<Card> Search::Candidates() const {
  std::vector<Card> candidates;
  CardSet out = CardSet::All() - view_.hand;
  for (int i = 0; i + 1 < view_.trick_count; ++i) {
    for (const Card c : view_.tricks[static_cast<std::size_t>(i)].cards) {
      if (rules::IsCard(Index(c))) out.Erase(c);
    }
  }
  Card before = rules::kNoCard;
  for (const Card c : view_.legal.cards) {
    bool equal = before != rules::kNoCard && SuitOf(c) == SuitOf(before) &&
                 HalfPoints(c) == HalfPoints(before) && !rules::IsBout(c);
    for (int between = Index(before) + 1; equal && between < Index(c); ++between) {
      equal = !out.Contains(rules::CardAt(between));
    }
    if (!equal) candidates.push_back(c);
    before = c;
  }
  return candidates;
}

// False when the solver gave up.
bool Search::Solve(const World& world, const Table& now, Sums& sums) {
  const std::uint64_t before = endgame_->nodes();
  const auto worths = endgame_->Solve(world, now, budget_ / kWorldShare + 1);
  nodes_ += endgame_->nodes() - before;
  for (const Endgame::Worth& worth : worths) {
    sums[static_cast<std::size_t>(Index(worth.card))] += worth.double_points;
  }
  return !worths.empty();
}

void Search::PlayOuts(const World& world, const Table& now, const std::vector<Card>& cards,
                      Sums& sums) {
  for (const Card card : cards) {
    Table table = now;
    table.Play(card);
    ++nodes_;
    sums[static_cast<std::size_t>(Index(card))] += 2 * PlayOut(view_, world, table);
  }
}

Action Search::Play() {
  if (ShowHandful()) return Novice().Choose(view_, Rng(0), 0).action;
  const std::vector<Card> candidates = Candidates();
  if (candidates.size() == 1) return Action::Play(candidates.front());
  Sums sums{};
  while (Again()) {
    const World& world = NextWorld();
    const Table now = MakeTable(view_, world);
    if (endgame_.has_value() && Solve(world, now, sums)) continue;
    PlayOuts(world, now, candidates, sums);
  }
  const auto sum = [&sums](Card card) { return sums[static_cast<std::size_t>(Index(card))]; };
  Card best = candidates.front();
  for (const Card card : candidates) {
    if (sum(card) > sum(best)) best = card;
  }
  return Action::Play(best);
}

// A handful goes to the camp that wins: shown when that is likely to be one's own.
bool Search::ShowHandful() {
  const auto& levels = view_.legal.handful_levels;
  if (std::none_of(levels.begin(), levels.end(), [](bool b) { return b; })) return false;
  const std::uint64_t share = budget_ / 4;
  int won = 0;
  int worlds = 0;
  for (; worlds == 0 || nodes_ < share; ++worlds) {
    const World& world = sampler_.Next();
    won += PlayOut(view_, world, MakeTable(view_, world)) > 0 ? 1 : 0;
  }
  return 3 * won >= 2 * worlds;
}

}  // namespace

Decision Sampling::Choose(const View& view, Rng rng, std::uint64_t node_budget) const {
  const bool exact =
      view.phase == rules::Phase::kPlaying &&
      view.hand.Size() <= effort_.endgame_tricks[static_cast<std::size_t>(view.playing)] &&
      Endgame::Applies(view);
  const std::uint64_t own = exact ? effort_.endgame_budget : effort_.node_budget;
  Search search(view, rng, node_budget == 0 ? own : node_budget, exact);
  Decision decision;
  switch (view.phase) {
    case rules::Phase::kBidding:
      decision.action = search.Bid();
      break;
    case rules::Phase::kDiscarding:
      decision.action = search.Discard();
      break;
    case rules::Phase::kPlaying:
      decision.action = search.Play();
      break;
    default:
      return Novice().Choose(view, rng, node_budget);
  }
  decision.nodes = search.nodes();
  return decision;
}

}  // namespace tarot::ai
