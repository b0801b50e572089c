#include "libs/ai/card_search.h"

#include <algorithm>

#include "libs/ai/endgame.h"
#include "libs/ai/likely_discard.h"
#include "libs/ai/plain_choice.h"
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
        knowledge_(KnowOrDie(view)),
        sampler_(knowledge_, view.viewer, view.hand, rng),
        likely_discard_(view, knowledge_),
        choices_(Choices(view)) {
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

  using TwicePoints = std::array<int, rules::kCardCount>;  // Of one world, by Index(card).

  World NextWorld();
  bool Solve(const World& world, const Table& now);
  void PlayOuts(const World& world, const Table& now);
  int& Twice(Card card) { return worlds_.back()[static_cast<std::size_t>(Index(card))]; }
  std::int64_t Sum(Card card) const;
  struct Lead {  // Of one card over another, in twice the points of each world.
    std::int64_t sum = 0;
    std::int64_t squares = 0;
  };
  Lead LeadOf(Card best, Card other) const;
  bool Alike(Card best, Card other) const;
  bool StandsOut(Card best, Card other) const;
  Card StandsFor(Card card) const;
  void ListCandidates();
  void PreferPlain();

  const View& view_;
  const Request& request_;
  const Effort& effort_;
  const std::uint64_t budget_;
  const Knowledge knowledge_;
  Sampler sampler_;
  const LikelyDiscard likely_discard_;
  std::optional<Endgame> endgame_;
  const std::vector<Choice> choices_;
  std::vector<TwicePoints> worlds_;
  Decision decision_;
};

// One in four keeps the écart that was drawn: takers differ. Both kinds of play-out see both.
World CardSearch::NextWorld() {
  World world = sampler_.Next();
  if (effort_.likely_discards && decision_.worlds / 2 % 4 != 3) likely_discard_.Rearrange(world);
  ++decision_.worlds;
  worlds_.emplace_back();
  return world;
}

// False when the solver gave up.
bool CardSearch::Solve(const World& world, const Table& now) {
  const std::uint64_t before = endgame_->nodes();
  const auto worths = endgame_->Solve(world, now, budget_ / kWorldShare + 1);
  decision_.nodes += endgame_->nodes() - before;
  for (const Endgame::Worth& worth : worths) Twice(worth.card) = worth.double_points;
  return !worths.empty();
}

void CardSearch::PlayOuts(const World& world, const Table& now) {
  // Half of the worlds each: who knows one kind of players only is lost among others.
  const bool styled =
      effort_.style != nullptr && view_.taker != rules::kNoSeat && decision_.worlds % 2 == 1;
  for (const Choice& choice : choices_) {
    if (choice.card != choice.stands_for_it) continue;
    Table table = now;
    table.Play(choice.card);
    const int cards = styled ? StylePlayOut(table, *effort_.style) : ThumbPlayOut(table);
    decision_.nodes += 1 + static_cast<std::uint64_t>(cards);
    Twice(choice.card) = 2 * Points(view_, world, table);
  }
}

std::int64_t CardSearch::Sum(Card card) const {
  std::int64_t sum = 0;
  for (const TwicePoints& world : worlds_) sum += world[static_cast<std::size_t>(Index(card))];
  return sum;
}

Card CardSearch::StandsFor(Card card) const {
  const auto is_it = [card](const Choice& choice) { return choice.card == card; };
  return std::find_if(choices_.begin(), choices_.end(), is_it)->stands_for_it;
}

CardSearch::Lead CardSearch::LeadOf(Card best, Card other) const {
  Lead lead;
  for (const TwicePoints& world : worlds_) {
    const std::int64_t more = world[static_cast<std::size_t>(Index(StandsFor(best)))] -
                              world[static_cast<std::size_t>(Index(StandsFor(other)))];
    lead.sum += more;
    lead.squares += more * more;
  }
  return lead;
}

// Equal in every world; or, where the table leaves it to taste, not told apart by these worlds. Few
// tell little apart, but as much is at stake: there the doubt is that of kWorlds.
bool CardSearch::Alike(Card best, Card other) const {
  constexpr std::size_t kWorlds = 400;
  if (decision_.solved == 0 && Wastes(view_, best, other)) return !StandsOut(best, other);
  const Lead lead = LeadOf(best, other);
  const std::int64_t errors = Leniency(view_, best, other);
  const auto worlds = static_cast<std::int64_t>(std::min(worlds_.size(), kWorlds));
  return lead.sum * lead.sum * static_cast<std::int64_t>(kWorlds) <=
         errors * errors * lead.squares * worlds;
}

// Play-outs overrate some cards by some points however many worlds there are. What these promise
// must stand out from how much it differs from world to world.
bool CardSearch::StandsOut(Card best, Card other) const {
  constexpr std::int64_t kDeviations = 8;  // The promise is more than an eighth of one.
  const Lead lead = LeadOf(best, other);
  return kDeviations * kDeviations * lead.sum * lead.sum >
         static_cast<std::int64_t>(worlds_.size()) * lead.squares;
}

void CardSearch::ListCandidates() {
  const std::int64_t unit = view_.taker == rules::kNoSeat ? 25 : 50;
  for (const Choice& choice : choices_) {
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

// Brings the cheapest of what is no worse than the best to the front.
void CardSearch::PreferPlain() {
  auto& candidates = decision_.candidates;
  auto chosen = candidates.begin();
  if (decision_.solved == 0 && WantsReason(view_, chosen->action.card)) {
    const auto other = std::find_if(candidates.begin(), candidates.end(), [this](const auto& c) {
      return !WantsReason(view_, c.action.card);
    });
    if (other != candidates.end() && !StandsOut(chosen->action.card, other->action.card)) {
      chosen = other;
    }
  }
  const Card best = chosen->action.card;
  for (auto it = chosen; it != candidates.end(); ++it) {
    const bool cheaper = Price(view_, it->action.card) < Price(view_, chosen->action.card);
    if (cheaper && Alike(best, it->action.card)) chosen = it;
  }
  std::rotate(candidates.begin(), chosen, chosen + 1);
}

Decision CardSearch::Choose() {
  const bool one = choices_.back().stands_for_it == choices_.front().card;
  while ((!one || request_.consider.has_value()) && Again()) {
    const World world = NextWorld();
    const Table now = MakeTable(view_, world);
    if (endgame_.has_value() && Solve(world, now)) {
      ++decision_.solved;
    } else {
      PlayOuts(world, now);
    }
  }
  ListCandidates();
  PreferPlain();
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
