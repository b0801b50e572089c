#include "libs/ai/card_search.h"

#include <algorithm>

#include "libs/ai/endgame.h"
#include "libs/ai/sampler.h"
#include "libs/ai/thumb.h"
#include "libs/base/check.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
using rules::View;

// Of the budget, for one world: few endings need more, and those are played out.
constexpr std::uint64_t kWorldShare = 10;

// Legal cards, and for each the one that stands for it: the lowest of its run of equals, which are
// neighbours of the same worth with no card out between.
struct Choice {
  Card card = rules::kNoCard;
  Card stands_for_it = rules::kNoCard;
};

std::vector<Choice> Choices(const View& view) {
  CardSet out = CardSet::All() - view.hand;
  for (int i = 0; i + 1 < view.trick_count; ++i) {
    for (const Card c : view.tricks[static_cast<std::size_t>(i)].cards) {
      if (rules::IsCard(Index(c))) out.Erase(c);
    }
  }
  std::vector<Choice> choices;
  for (const Card c : view.legal.cards) {
    Choice choice{.card = c, .stands_for_it = c};
    if (!choices.empty()) {
      const Choice& before = choices.back();
      bool equal = SuitOf(c) == SuitOf(before.card) && HalfPoints(c) == HalfPoints(before.card) &&
                   !rules::IsBout(c);
      for (int between = Index(before.card) + 1; equal && between < Index(c); ++between) {
        equal = !out.Contains(rules::CardAt(between));
      }
      if (equal) choice.stands_for_it = before.stands_for_it;
    }
    choices.push_back(choice);
  }
  return choices;
}

// One decision: its worlds, and what it has spent.
class CardSearch {
 public:
  // `exact`: the ends of the worlds are solved.
  CardSearch(const View& view, Rng rng, const Request& request, const Effort& effort,
             std::uint64_t node_budget, bool exact)
      : view_(view),
        request_(request),
        effort_(effort),
        budget_(node_budget),
        sampler_(KnowOrDie(view), view.viewer, view.hand, rng) {
    if (exact) endgame_.emplace(view);
  }

  Decision Choose();

 private:
  static Knowledge KnowOrDie(const View& view) {
    const std::optional<Knowledge> knowledge = Know(view);
    TAROT_CHECK(knowledge.has_value());  // WhatIsWrong() says so before.
    return *knowledge;
  }

  // At least one world, however small the budget.
  bool Again() {
    if (decision_.worlds == 0) return true;
    if (request_.stop && request_.stop()) decision_.stopped = true;
    return !decision_.stopped && decision_.nodes < budget_ && decision_.worlds < effort_.worlds_max;
  }

  bool Solve(const World& world, const Table& now);
  void PlayOuts(const World& world, const Table& now, const std::vector<Choice>& choices);
  std::int64_t& Sum(Card card) { return sums_[static_cast<std::size_t>(Index(card))]; }
  void ListCandidates(const std::vector<Choice>& choices);

  const View& view_;
  const Request& request_;
  const Effort& effort_;
  const std::uint64_t budget_;
  Sampler sampler_;
  std::optional<Endgame> endgame_;
  std::array<std::int64_t, rules::kCardCount> sums_{};  // Twice the points, by Index(card).
  Decision decision_;
};

// False when the solver gave up.
bool CardSearch::Solve(const World& world, const Table& now) {
  const std::uint64_t before = endgame_->nodes();
  const auto worths = endgame_->Solve(world, now, budget_ / kWorldShare + 1);
  decision_.nodes += endgame_->nodes() - before;
  for (const Endgame::Worth& worth : worths) Sum(worth.card) += worth.double_points;
  return !worths.empty();
}

void CardSearch::PlayOuts(const World& world, const Table& now,
                          const std::vector<Choice>& choices) {
  // Half of the worlds each: who knows one kind of players only is lost among others.
  const bool styled =
      effort_.style != nullptr && view_.taker != rules::kNoSeat && decision_.worlds % 2 == 1;
  for (const Choice& choice : choices) {
    if (choice.card != choice.stands_for_it) continue;
    Table table = now;
    table.Play(choice.card);
    const int cards = styled ? StylePlayOut(table, *effort_.style) : ThumbPlayOut(table);
    decision_.nodes += 1 + static_cast<std::uint64_t>(cards);
    Sum(choice.card) += 2 * Points(view_, world, table);
  }
}

void CardSearch::ListCandidates(const std::vector<Choice>& choices) {
  const std::int64_t unit = view_.taker == rules::kNoSeat ? 25 : 50;
  for (const Choice& choice : choices) {
    Candidate candidate{.action = Action::Play(choice.card),
                        .worlds = decision_.worlds,
                        .exact = decision_.solved == decision_.worlds && decision_.solved > 0};
    if (decision_.worlds > 0) {
      candidate.value = static_cast<int>(Sum(choice.stands_for_it) * unit / decision_.worlds);
    }
    decision_.candidates.push_back(candidate);
  }
  // The lowest of equals comes first.
  std::stable_sort(decision_.candidates.begin(), decision_.candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.value > b.value; });
}

Decision CardSearch::Choose() {
  const std::vector<Choice> choices = Choices(view_);
  const bool one = choices.back().stands_for_it == choices.front().card;
  while ((!one || request_.consider.has_value()) && Again()) {
    const World& world = sampler_.Next();
    ++decision_.worlds;
    const Table now = MakeTable(view_, world);
    if (endgame_.has_value() && Solve(world, now)) {
      ++decision_.solved;
    } else {
      PlayOuts(world, now, choices);
    }
  }
  ListCandidates(choices);
  decision_.action = decision_.candidates.front().action;
  return decision_;
}

}  // namespace

Decision ChooseCard(const View& view, Rng rng, const Request& request, const Effort& effort) {
  const bool exact =
      view.hand.Size() <= effort.endgame_tricks[static_cast<std::size_t>(view.playing)] &&
      Endgame::Applies(view);
  const std::uint64_t own = exact ? effort.endgame_budget : effort.node_budget;
  return CardSearch(view, rng, request, effort,
                    request.node_budget == 0 ? own : request.node_budget, exact)
      .Choose();
}

}  // namespace tarot::ai
