#include "libs/ai/search.h"

#include "libs/ai/endgame.h"
#include "libs/ai/hand_search.h"
#include "libs/ai/sampler.h"
#include "libs/ai/thumb.h"
#include "libs/base/check.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
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
    nodes_ += static_cast<std::uint64_t>(ThumbPlayOut(table));
    return Points(view, world, table);
  }

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

}  // namespace

Decision Sampling::Choose(const View& view, Rng rng, std::uint64_t node_budget) const {
  const bool exact =
      view.phase == rules::Phase::kPlaying &&
      view.hand.Size() <= effort_.endgame_tricks[static_cast<std::size_t>(view.playing)] &&
      Endgame::Applies(view);
  const std::uint64_t own = exact ? effort_.endgame_budget : effort_.node_budget;
  const std::uint64_t budget = node_budget == 0 ? own : node_budget;
  if (view.phase != rules::Phase::kPlaying) return ChooseHand(view, rng, budget);
  if (std::optional<Decision> shown = ChooseHandful(view, rng, budget / 4)) return *shown;
  Decision decision;
  Search search(view, rng, budget, exact);
  decision.action = search.Play();
  decision.nodes = search.nodes();
  return decision;
}

}  // namespace tarot::ai
