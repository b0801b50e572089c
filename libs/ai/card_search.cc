#include "libs/ai/card_search.h"

#include <algorithm>

#include "libs/ai/endgame.h"
#include "libs/ai/evaluation.h"
#include "libs/ai/faults.h"
#include "libs/ai/heuristic.h"
#include "libs/ai/promise_model.h"
#include "libs/ai/sampler.h"
#include "libs/ai/standard_error.h"
#include "libs/ai/tie_break.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
using rules::View;

// The solver may use the node budget divided by this number for one world. Rarely, a world needs
// more nodes. Then the search plays out this world instead.
constexpr std::uint64_t kWorldShare = 10;

// A legal card and its representative: the lowest of the cards that are equal to this card. Two
// cards of a suit with the same points are equal if every card between them is in the viewer's hand
// or in an earlier trick. A bout is equal to no other card.
struct Choice {
  Card card = rules::kNoCard;
  Card representative = rules::kNoCard;
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
    Choice choice{.card = c, .representative = c};
    if (!choices.empty()) {
      const Choice& before = choices.back();
      bool equal = SuitOf(c) == SuitOf(before.card) && HalfPoints(c) == HalfPoints(before.card) &&
                   !rules::IsBout(c);
      for (int between = Index(before.card) + 1; equal && between < Index(c); ++between) {
        equal = !out.Contains(rules::CardAt(between));
      }
      if (equal) choice.representative = before.representative;
    }
    choices.push_back(choice);
  }
  return choices;
}

// The search for one decision.
class CardSearch {
 public:
  // If `exact` is true, the search tries to solve each world. It plays out only the worlds that the
  // solver cannot finish.
  CardSearch(const View& view, const Knowledge& knowledge, Rng rng, const Request& request,
             const SearchBudget& budget, std::uint64_t node_budget, bool exact)
      : view_(view),
        knowledge_(knowledge),
        request_(request),
        budget_(budget),
        node_budget_(node_budget),
        belief_(Believes() ? std::optional<BidBelief>(std::in_place, view, knowledge)
                           : std::nullopt),
        sampler_(knowledge, view.viewer, view.hand, rng, belief_ ? &*belief_ : nullptr),
        likely_discard_(view, knowledge),
        choices_(Choices(view)) {
    if (exact) endgame_.emplace(view);
  }

  Decision Choose();

 private:
  bool Believes() const { return budget_.believes_bids[static_cast<std::size_t>(view_.playing)]; }

  // Returns whether to sample one more world. The first call always returns true, even if the
  // budget is very small.
  bool Again() {
    if (decision_.worlds == 0) return true;
    if (request_.stop && request_.stop()) decision_.stopped = true;
    return !decision_.stopped && decision_.nodes < node_budget_ &&
           decision_.worlds < budget_.worlds_max;
  }

  // Twice the points that each card earns in one world, indexed by Index(card).
  using TwicePoints = std::array<int, rules::kCardCount>;

  World NextWorld();
  bool Solve(const World& world, const FastDeal& now);
  void PlayOuts(const World& world, const FastDeal& now);
  // Notes for a play-out or a solved world whether the attack makes its contract after `card`.
  void NoteMade(Card card, bool made) {
    if (made) made_.back().Insert(card);
  }
  int& Twice(Card card) { return worlds_.back()[static_cast<std::size_t>(Index(card))]; }
  std::int64_t Sum(Card card) const;
  // Returns the points of `best` minus the points of `other`, in half points of the game.
  Difference DifferenceOf(Card best, Card other) const;
  std::optional<int> ErrorOfDifference(Card best, Card other, int unit) const;
  bool Alike(Card best, Card other) const;
  bool IsFault(Card card) const {
    return budget_.avoids_faults && FaultOf(view_, knowledge_, Action::Play(card)).has_value();
  }
  bool NeedsAGain(Card card) const;
  bool Gains(Card best, Card other) const;
  Card RepresentativeOf(Card card) const;
  void ListCandidates();
  void BreakTies();
  void AddMadeErrors();

  const View& view_;
  const Knowledge& knowledge_;
  const Request& request_;
  const SearchBudget& budget_;
  const std::uint64_t node_budget_;
  const std::optional<BidBelief> belief_;
  Sampler sampler_;
  const LikelyDiscard likely_discard_;
  std::optional<Endgame> endgame_;
  const std::vector<Choice> choices_;
  std::vector<TwicePoints> worlds_;
  std::vector<CardSet>
      made_;  // In each world, the cards after which the attack makes its contract.
  Decision decision_;
};

// Returns the next world. If `likely_discards` is true, three quarters of the worlds get a likely
// écart. The other worlds keep a random écart, because some takers discard in other ways. Two
// successive worlds form a pair, and both have the same kind of écart. In each pair, the style
// plays out one world, and the heuristic plays out the other world.
World CardSearch::NextWorld() {
  World world = sampler_.Next();
  if (budget_.likely_discards && decision_.worlds / 2 % 4 != 3) likely_discard_.Rearrange(world);
  ++decision_.worlds;
  worlds_.emplace_back();
  made_.emplace_back();
  return world;
}

// Returns false if the solver ran out of nodes before it solved `world`.
bool CardSearch::Solve(const World& world, const FastDeal& now) {
  const std::uint64_t before = endgame_->nodes();
  const auto worths = endgame_->Solve(world, now, node_budget_ / kWorldShare + 1);
  decision_.nodes += endgame_->nodes() - before;
  for (const Endgame::Worth& worth : worths) {
    Twice(worth.card) = worth.double_points;
    NoteMade(worth.card, worth.margin >= 0);
  }
  return !worths.empty();
}

void CardSearch::PlayOuts(const World& world, const FastDeal& now) {
  // If the budget has a style, the style plays out every second world. The heuristic plays out the
  // other worlds. A bot that expects only one kind of player is weak against players of another
  // kind.
  const bool styled =
      budget_.style != nullptr && view_.taker != rules::kNoSeat && decision_.worlds % 2 == 1;
  for (const Choice& choice : choices_) {
    if (choice.card != choice.representative) continue;
    FastDeal deal = now;
    deal.Play(choice.card);
    const int cards = styled ? StylePlayOut(deal, *budget_.style) : HeuristicPlayOut(deal);
    decision_.nodes += 1 + static_cast<std::uint64_t>(cards);
    if (view_.taker == rules::kNoSeat) {
      Twice(choice.card) = 2 * Points(view_, world, deal);
      continue;
    }
    const rules::ScoreInput input = Count(view_, world, deal);
    Twice(choice.card) = 2 * PointsOfViewer(view_, deal, input);
    const int needed = 2 * view_.rules.threshold[static_cast<std::size_t>(input.bouts)];
    NoteMade(choice.card, input.attack_half_points >= needed);
  }
}

std::int64_t CardSearch::Sum(Card card) const {
  std::int64_t sum = 0;
  for (const TwicePoints& world : worlds_) sum += world[static_cast<std::size_t>(Index(card))];
  return sum;
}

Card CardSearch::RepresentativeOf(Card card) const {
  const auto is_it = [card](const Choice& choice) { return choice.card == card; };
  return std::find_if(choices_.begin(), choices_.end(), is_it)->representative;
}

Difference CardSearch::DifferenceOf(Card best, Card other) const {
  Difference difference;
  for (const TwicePoints& world : worlds_) {
    difference.Add(world[static_cast<std::size_t>(Index(RepresentativeOf(best)))] -
                   world[static_cast<std::size_t>(Index(RepresentativeOf(other)))]);
  }
  return difference;
}

// Returns the standard error of the mean of DifferenceOf(best, other). `unit` is the worth of a
// difference of 1, in hundredths of a point.
std::optional<int> CardSearch::ErrorOfDifference(Card best, Card other, int unit) const {
  std::vector<int> differences;
  differences.reserve(worlds_.size());
  for (const TwicePoints& world : worlds_) {
    differences.push_back(world[static_cast<std::size_t>(Index(RepresentativeOf(best)))] -
                          world[static_cast<std::size_t>(Index(RepresentativeOf(other)))]);
  }
  return ErrorOfMean(differences, unit);
}

// Returns whether the bot may play `other` instead of `best`. There are two cases:
// - No world is solved, and `best` wastes a trump (Wastes()). Then the bot may play `other` if
//   their difference does not stand out.
// - In every other case, the bot may play `other` if the mean difference is at most Leniency()
//   standard errors. The standard error is computed as if there were at least kWorlds worlds.
// Wastes() and Leniency() are in tie_break.h.
bool CardSearch::Alike(Card best, Card other) const {
  constexpr std::size_t kWorlds = 400;
  if (decision_.solved == 0 && Wastes(view_, best, other))
    return !DifferenceOf(best, other).StandsOut();
  const Difference difference = DifferenceOf(best, other);
  const std::int64_t errors = Leniency(view_, best, other);
  const auto worlds = static_cast<std::int64_t>(std::min(worlds_.size(), kWorlds));
  return difference.sum * difference.sum * static_cast<std::int64_t>(kWorlds) <=
         errors * errors * difference.squares * worlds;
}

void CardSearch::ListCandidates() {
  const int unit = view_.taker == rules::kNoSeat ? 25 : 50;
  for (const Choice& choice : choices_) {
    Candidate candidate{.action = Action::Play(choice.card),
                        .worlds = decision_.worlds,
                        .exact = decision_.solved == decision_.worlds && decision_.solved > 0};
    if (decision_.worlds > 0) {
      candidate.value = static_cast<int>(Sum(choice.representative) * unit / decision_.worlds);
      const auto made =
          static_cast<int>(std::count_if(made_.begin(), made_.end(), [&](const CardSet& cards) {
            return cards.Contains(choice.representative);
          }));
      if (view_.taker != rules::kNoSeat) candidate.made = 1000 * made / decision_.worlds;
    }
    decision_.candidates.push_back(candidate);
  }
  // The sort keeps the order of candidates with equal values: the lowest card first.
  std::stable_sort(decision_.candidates.begin(), decision_.candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.value > b.value; });
  for (Candidate& candidate : decision_.candidates) {
    if (!request_.consider.has_value()) break;
    candidate.difference_error =
        ErrorOfDifference(decision_.candidates.front().action.card, candidate.action.card, unit);
  }
  if (!budget_.honest_values) return;
  for (Candidate& candidate : decision_.candidates) {
    if (!candidate.value.has_value()) continue;
    const int value = HonestValue(view_, *candidate.value);
    // The correction is a line, so it changes a difference of values by the slope of the line.
    if (candidate.difference_error.has_value()) {
      candidate.difference_error =
          HonestValue(view_, *candidate.value + *candidate.difference_error) - value;
    }
    candidate.value = value;
  }
}

// Returns whether the bot plays `card` only if it gains clearly more than every card without this
// property (Gains()). WantsReason() in tie_break.h names cards that play-outs play too early.
bool CardSearch::NeedsAGain(Card card) const {
  return IsFault(card) || (decision_.solved == 0 && WantsReason(view_, card));
}

// Returns whether `best`, which needs a gain, gains enough to be played instead of `other`.
bool CardSearch::Gains(Card best, Card other) const {
  const Difference difference = DifferenceOf(best, other);
  return IsFault(best) ? difference.ExcusesAFault() : difference.StandsOut();
}

// Finds the cards that are about as good as the best card, and moves the cheapest of these cards to
// the front.
void CardSearch::BreakTies() {
  auto& candidates = decision_.candidates;
  auto chosen = candidates.begin();
  if (NeedsAGain(chosen->action.card)) {
    const auto other = std::find_if(candidates.begin(), candidates.end(),
                                    [this](const auto& c) { return !NeedsAGain(c.action.card); });
    if (other != candidates.end() && !Gains(chosen->action.card, other->action.card)) {
      chosen = other;
    }
  }
  const Card best = chosen->action.card;
  for (auto it = chosen; it != candidates.end(); ++it) {
    const bool cheaper = Price(view_, it->action.card) < Price(view_, chosen->action.card);
    if (cheaper && Alike(best, it->action.card) && !IsFault(it->action.card)) chosen = it;
  }
  std::rotate(candidates.begin(), chosen, chosen + 1);
}

// Sets `made_error` and `made_difference_error` of the candidates. The first candidate must be the
// chosen card.
void CardSearch::AddMadeErrors() {
  const Card chosen = RepresentativeOf(decision_.candidates.front().action.card);
  for (Candidate& candidate : decision_.candidates) {
    const Card card = RepresentativeOf(candidate.action.card);
    std::vector<int> made;
    std::vector<int> differences;
    for (const CardSet cards : made_) {
      made.push_back(cards.Contains(card) ? 1 : 0);
      differences.push_back(made.back() - (cards.Contains(chosen) ? 1 : 0));
    }
    candidate.made_error = ErrorOfMean(made, 1000);
    candidate.made_difference_error = ErrorOfMean(differences, 1000);
  }
}

Decision CardSearch::Choose() {
  const bool one = choices_.back().representative == choices_.front().card;
  while ((!one || request_.consider.has_value()) && Again()) {
    const World world = NextWorld();
    const FastDeal now = MakeFastDeal(view_, world);
    if (endgame_.has_value() && Solve(world, now)) {
      ++decision_.solved;
    } else {
      PlayOuts(world, now);
    }
  }
  ListCandidates();
  BreakTies();
  if (request_.consider.has_value() && view_.taker != rules::kNoSeat) AddMadeErrors();
  decision_.action = decision_.candidates.front().action;
  return decision_;
}

}  // namespace

Decision ChooseCard(const View& view, const Knowledge& knowledge, Rng rng, const Request& request,
                    const SearchBudget& budget) {
  const bool exact =
      view.hand.Size() <= budget.endgame_tricks[static_cast<std::size_t>(view.playing)] &&
      Endgame::Applies(view);
  const std::uint64_t own = exact ? budget.endgame_budget : budget.node_budget;
  return CardSearch(view, knowledge, rng, request, budget,
                    request.node_budget == 0 ? own : request.node_budget, exact)
      .Choose();
}

}  // namespace tarot::ai
