#include "libs/ai/hand_search.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "libs/ai/bid_model.h"
#include "libs/ai/evaluation.h"
#include "libs/ai/faults.h"
#include "libs/ai/heuristic.h"
#include "libs/ai/standard_error.h"
#include "libs/rules/bidding.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
using rules::Contract;
using rules::View;

constexpr int kAllWorlds = -1;

// Returns whether the taker leaves the dog unseen.
bool Untouched(Contract contract) { return contract >= Contract::kGardeSans; }

// The results of the play-outs of one contract.
class ContractEvaluation {
 public:
  ContractEvaluation(const View& view, const Features& features, Contract contract, Card call)
      : view_(view), features_(features), contract_(contract), call_(call) {}

  void Add(const World& world, std::uint64_t& nodes) {
    inputs_.push_back(PlayOutContract(view_, world, contract_, call_, nodes));
    margins_.push_back(MarginOf(inputs_.back()));
  }
  // For all functions with a parameter `group`: if it is kAllWorlds, they use all play-outs. If
  // not, they use only those in one of kErrorGroups groups of neighbouring worlds, counted from 0.

  // Returns the mean margin of the play-outs, in hundredths of half points.
  int Mean(int group) const;
  // Returns the expected margin from the play-outs and the bid model, in hundredths of half points.
  int Expected(int group) const {
    return ExpectedMargin(view_, features_, Untouched(contract_), Mean(group),
                          static_cast<int>(inputs_.size()));
  }
  // Returns the taker's mean score for `contract`, in hundredths of a point. `expected` is the
  // expected margin, and the real margins vary around it.
  int Value(Contract contract, int expected, int group) const;
  // Sets the fields `made`, `low` and `high` of `candidate`, from the same scores over all worlds.
  void AddChances(Contract contract, int expected, Candidate& candidate) const;

 private:
  // Returns the indices of the first world of `group` and of the world after its last one.
  std::pair<std::size_t, std::size_t> WorldsOf(int group) const;
  // Calls `use` with the score of each play-out at each likely margin.
  template <typename Use>
  void ForEachScore(Contract contract, int expected, int group, Use use) const;

  const View& view_;
  const Features& features_;
  const Contract contract_;
  const Card call_;
  std::vector<rules::ScoreInput> inputs_;
  std::vector<int> margins_;  // The margin of each play-out, in half points.
};

std::pair<std::size_t, std::size_t> ContractEvaluation::WorldsOf(int group) const {
  if (group == kAllWorlds) return {0, inputs_.size()};
  const std::size_t size = inputs_.size() / kErrorGroups;
  const std::size_t first = static_cast<std::size_t>(group) * size;
  return {first, first + size};
}

int ContractEvaluation::Mean(int group) const {
  const auto [first, end] = WorldsOf(group);
  const int sum = std::accumulate(margins_.begin() + static_cast<long>(first),
                                  margins_.begin() + static_cast<long>(end), 0);
  return 100 * sum / static_cast<int>(end - first);
}

template <typename Use>
void ContractEvaluation::ForEachScore(Contract contract, int expected, int group, Use use) const {
  const auto steps = MarginSpread(view_.playing, Untouched(contract_));
  const auto [first, end] = WorldsOf(group);
  for (std::size_t world = first; world < end; ++world) {
    rules::ScoreInput input = inputs_[world];
    input.contract = contract;
    if (view_.rules.scoring == rules::Scoring::kTakerCountsHonours) {
      // The bid model does not count court cards, so the score comes from the play-outs alone.
      use(ComputeScore(view_.rules, input));
      continue;
    }
    // The play-out gives the bouts and the bonuses of the score, but not the slam. A slam in a
    // play-out says little about the hand.
    input.slam = rules::SlamOutcome::kNone;
    // The attack has the margin 0 if it has this number of half points.
    const int none = input.attack_half_points - MarginOf(input);
    for (const int step : steps) {
      input.attack_half_points =
          std::clamp(none + (expected + step) / 100, 0, rules::kTotalHalfPoints);
      use(ComputeScore(view_.rules, input));
    }
  }
}

int ContractEvaluation::Value(Contract contract, int expected, int group) const {
  std::int64_t sum = 0;
  std::int64_t count = 0;
  ForEachScore(contract, expected, group, [&](const rules::Score& score) {
    sum += score.taker;
    ++count;
  });
  return static_cast<int>(100 * sum / count);
}

void ContractEvaluation::AddChances(Contract contract, int expected, Candidate& candidate) const {
  int made = 0;
  std::vector<int> scores;
  ForEachScore(contract, expected, kAllWorlds, [&](const rules::Score& score) {
    if (score.won) ++made;
    scores.push_back(score.taker);
  });
  std::sort(scores.begin(), scores.end());
  candidate.made = 1000 * made / static_cast<int>(scores.size());
  candidate.low = 100 * scores[scores.size() / 10];
  candidate.high = 100 * scores[scores.size() - 1 - scores.size() / 10];
}

// A limit for the contracts that leave the dog unseen, in hundredths of half points. If the margin
// that the features predict is not above this limit, the bot usually does not evaluate these
// contracts. It evaluates them if a pass is illegal or if the request asks for one of them.
constexpr int kHopelessUntouched = -2000;

// A way to change the numbers behind the values of the bids. The changes show the error of a value.
struct BidChange {
  int group = kAllWorlds;  // Use only the play-outs of this group.
  // Added to the fitted margins, in hundredths of half points. Index 0 is for contracts in which
  // the taker takes the dog, and index 1 for contracts that leave it unseen.
  std::array<int, 2> margin{};
};

class BidSearch {
 public:
  BidSearch(const View& view, const Knowledge& knowledge, Rng rng, const Request& request,
            const SearchBudget& budget)
      : view_(view),
        knowledge_(knowledge),
        request_(request),
        avoids_faults_(budget.avoids_faults),
        pass_penalty_(budget.pass_penalty),
        untouched_gain_(budget.untouched_gain[static_cast<std::size_t>(view.playing)]),
        loop_(view, knowledge, rng, request),
        features_(FeaturesOf(view.hand, view.bid_count, view.playing)),
        call_(Call()),
        taken_(view, features_, Contract::kGarde, call_),
        untouched_(view, features_, Contract::kGardeSans, call_),
        against_(view, features_, Contract::kGardeContre, call_) {}

  Decision Choose();

 private:
  // Moves the best other bid to the front if Garde sans or Garde contre is best, but is a fault or
  // gains too little.
  void AvoidSmallGain(Decision& decision) const;
  bool Legal(Contract contract) const {
    return view_.legal.bids[static_cast<std::size_t>(contract)];
  }
  // Returns whether the bot evaluates `contract`.
  bool Weighed(Contract contract) const {
    if (!Legal(contract)) return false;
    if (contract <= Contract::kGarde || !Legal(Contract::kPass)) return true;
    return request_.consider == Action::Bid(contract) ||
           MarginOfHand(features_, view_.playing, true) > kHopelessUntouched;
  }
  bool WeighsTaken() const { return Weighed(Contract::kPrise) || Weighed(Contract::kGarde); }
  // Returns the card that the bot would call.
  Card Call() const {
    if (view_.playing != 5) return rules::kNoCard;
    const CardSet calls = rules::CallableCards(view_.rules, view_.hand);
    return calls.Empty() ? rules::kNoCard : HeuristicCall(view_.hand, calls);
  }
  // Returns the standard deviation of the real margins around the fit.
  int SpreadOf(bool untouched) const {
    const BidWeights& weights = kBidWeights[static_cast<std::size_t>(view_.playing - 3)];
    return weights.margin[untouched ? 1 : 0].spread;
  }
  const ContractEvaluation& EvaluationOf(Contract contract) const {
    if (contract == Contract::kGardeContre) return against_;
    return Untouched(contract) ? untouched_ : taken_;
  }
  // Returns the expected margin of `contract`, which must be no pass.
  int MarginWith(Contract contract, const BidChange& change) const;
  // Returns the value of a bid, in hundredths of a point.
  int ValueOf(Contract contract, const BidChange& change) const;
  // Returns the standard error of `number`, a function of a BidChange.
  template <typename Number>
  int ErrorOf(Number number) const;
  void AddErrors(std::vector<Candidate>& candidates) const;

  const View& view_;
  const Knowledge& knowledge_;
  const Request& request_;
  const bool avoids_faults_;
  const int pass_penalty_;
  const int untouched_gain_;
  WorldLoop loop_;
  const Features features_;
  const Card call_;
  ContractEvaluation taken_;
  ContractEvaluation untouched_;
  ContractEvaluation against_;
};

int BidSearch::MarginWith(Contract contract, const BidChange& change) const {
  if (!Untouched(contract)) return taken_.Expected(change.group) + change.margin[0];
  const int margin = untouched_.Expected(change.group) + change.margin[1];
  if (contract != Contract::kGardeContre) return margin;
  // The bid model assumes that the dog counts for the taker. With Garde contre, the dog counts for
  // the defence. So the expected margin changes by the mean margin of the play-outs with Garde
  // contre minus the mean margin with Garde sans. This change is usually negative.
  return margin + against_.Mean(change.group) - untouched_.Mean(change.group);
}

int BidSearch::ValueOf(Contract contract, const BidChange& change) const {
  if (contract != Contract::kPass) {
    return EvaluationOf(contract).Value(contract, MarginWith(contract, change), change.group);
  }
  const int margin = WeighsTaken()
                         ? MarginWith(Contract::kGarde, change)
                         : MarginOfHand(features_, view_.playing, false) + change.margin[0];
  return PassPoints(view_, margin) - pass_penalty_;
}

// There are three sources of error. The worlds are the same for all contracts, so the function
// compares `number` in groups of neighbouring worlds. The two fits of the margin come from
// different deals, so their errors are independent.
template <typename Number>
int BidSearch::ErrorOf(Number number) const {
  std::vector<int> groups;
  for (int group = 0; group < kErrorGroups; ++group) groups.push_back(number({.group = group}));
  int error = *ErrorOfMean(groups, 1);
  for (const std::size_t fit : {0, 1}) {
    // The fit has kFeatureCount weights, from 9,245 to 21,047 deals with a taken dog and from 3,527
    // to 5,641 deals with an untouched dog (docs/lab). So the standard error of a fitted margin is
    // about this part of the spread of the margins around the fit.
    const int part = fit == 0 ? 16 : 10;
    const int of_margin = SpreadOf(fit == 1) / part;
    int of_fit = 0;
    for (const int shift : {-of_margin, of_margin}) {
      BidChange change;
      change.margin[fit] = shift;
      of_fit = std::max(of_fit, std::abs(number(change) - number({})));
    }
    error = ErrorOfSum(error, of_fit);
  }
  return error;
}

// Sets `difference_error` and `made_error` of the candidates.
void BidSearch::AddErrors(std::vector<Candidate>& candidates) const {
  const Contract best =
      std::max_element(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
        return a.value < b.value;
      })->action.contract;
  for (Candidate& candidate : candidates) {
    const Contract contract = candidate.action.contract;
    candidate.difference_error = ErrorOf(
        [&](const BidChange& change) { return ValueOf(best, change) - ValueOf(contract, change); });
    if (contract == Contract::kPass) continue;
    // The chance is the share of a normal distribution above 0. An error of the margin by one
    // standard deviation of this distribution changes the chance by at most 0.4.
    const int of_margin =
        ErrorOf([&](const BidChange& change) { return MarginWith(contract, change); });
    candidate.made_error = 400 * of_margin / SpreadOf(Untouched(contract));
  }
}

Decision BidSearch::Choose() {
  const bool weigh_taken = WeighsTaken();
  const bool weigh_against = Weighed(Contract::kGardeContre);
  const bool weigh_untouched = Weighed(Contract::kGardeSans) || weigh_against;
  while ((weigh_taken || weigh_untouched) && loop_.Again()) {
    const World& world = loop_.Next();
    if (weigh_taken) taken_.Add(world, loop_.nodes());
    if (weigh_untouched) untouched_.Add(world, loop_.nodes());
    if (weigh_against) against_.Add(world, loop_.nodes());
  }
  std::vector<Candidate> candidates;
  for (const Contract contract : {Contract::kPass, Contract::kPrise, Contract::kGarde,
                                  Contract::kGardeSans, Contract::kGardeContre}) {
    if (!Weighed(contract)) continue;
    Candidate candidate{
        .action = Action::Bid(contract), .value = ValueOf(contract, {}), .worlds = loop_.worlds()};
    if (request_.consider.has_value() && contract != Contract::kPass) {
      EvaluationOf(contract).AddChances(contract, MarginWith(contract, {}), candidate);
    }
    candidates.push_back(candidate);
  }
  if (request_.consider.has_value() && loop_.worlds() >= kErrorGroups) AddErrors(candidates);
  Decision decision = loop_.Answer(std::move(candidates));
  AvoidSmallGain(decision);
  return decision;
}

void BidSearch::AvoidSmallGain(Decision& decision) const {
  auto& sorted = decision.candidates;
  const auto other = std::find_if(sorted.begin(), sorted.end(), [](const Candidate& candidate) {
    return candidate.action.contract <= Contract::kGarde;
  });
  if (other == sorted.begin() || other == sorted.end()) return;
  const bool fault =
      avoids_faults_ && FaultOf(view_, knowledge_, sorted.front().action).has_value();
  if (!fault && *sorted.front().value > *other->value + untouched_gain_) return;
  std::rotate(sorted.begin(), other, other + 1);
  decision.action = sorted.front().action;
}

// Returns the cards to evaluate for a call. If the viewer may call at most kMany cards, returns all
// of them. If not, returns only the cards from rank 13 up that the viewer does not hold. If there
// is no such card, returns the card that the heuristic calls.
std::vector<Card> Callable(const View& view) {
  constexpr int kMany = 16;
  std::vector<Card> cards;
  for (const Card card : view.legal.calls) {
    if (view.legal.calls.Size() <= kMany ||
        (rules::RankOf(card) >= 13 && !view.hand.Contains(card))) {
      cards.push_back(card);
    }
  }
  if (cards.empty() && !view.legal.calls.Empty()) {
    cards.push_back(HeuristicCall(view.hand, view.legal.calls));
  }
  return cards;
}

// Returns the viewer's points after a play-out from `view`.
int PlayOut(const View& view, const World& world, std::uint64_t& nodes,
            const StyleWeights* style = nullptr) {
  FastDeal deal = MakeFastDeal(view, world);
  const int cards = style != nullptr ? StylePlayOut(deal, *style) : HeuristicPlayOut(deal);
  nodes += static_cast<std::uint64_t>(cards);
  return Points(view, world, deal);
}

// Returns the view that the viewer will have just before the first card of the deal.
View AtFirstCard(const View& view) {
  View after = view;
  after.phase = rules::Phase::kPlaying;
  const bool announcer_leads = view.slam_announced && view.rules.slam_announcer_leads;
  after.turn = announcer_leads ? view.taker : view.After(view.dealer, 1);
  return after;
}

struct Plan {
  CardSet discard;
  std::vector<int> points;  // One number for each world, in the order of the worlds.

  std::int64_t Sum() const {
    return std::accumulate(points.begin(), points.end(), std::int64_t{0});
  }
};

// Sets `difference_error` of the candidates. points[i] has the points of candidate i in each world.
// If a candidate saw fewer worlds than the best candidate, the function compares both in the worlds
// that both saw.
void AddDifferenceErrors(const std::vector<std::vector<int>>& points,
                         std::vector<Candidate>& candidates) {
  const auto best = static_cast<std::size_t>(
      std::max_element(candidates.begin(), candidates.end(),
                       [](const Candidate& a, const Candidate& b) { return a.value < b.value; }) -
      candidates.begin());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::vector<int> differences;
    for (std::size_t world = 0; world < std::min(points[i].size(), points[best].size()); ++world) {
      differences.push_back(points[best][world] - points[i][world]);
    }
    candidates[i].difference_error = ErrorOfMean(differences, 100);
  }
}

// Changes the value of each candidate that saw fewer worlds than the first one, which must be the
// best: compares the two only in the worlds that both saw. Otherwise the difference of their values
// would also depend on the worlds that only one of them saw. AddDifferenceErrors() does not count
// these.
void CompareInCommonWorlds(const std::vector<std::vector<int>>& points,
                           std::vector<Candidate>& candidates) {
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const std::size_t worlds = points[i].size();
    if (worlds >= points[0].size()) continue;
    std::int64_t sum = 0;
    for (std::size_t world = 0; world < worlds; ++world) {
      sum += points[0][world] - points[i][world];
    }
    const auto count = static_cast<std::int64_t>(worlds);
    candidates[i].value = *candidates[0].value - static_cast<int>(100 * sum / count);
  }
}

// If the best call is a fault and gains too little, moves the best call without a fault to the
// front. `points` has the taker's points in each world for each of `cards`.
void AvoidFault(const View& view, const Knowledge& knowledge, const std::vector<Card>& cards,
                const std::vector<std::vector<int>>& points, Decision& decision) {
  auto& candidates = decision.candidates;
  const auto is_fault = [&](const Candidate& candidate) {
    return FaultOf(view, knowledge, candidate.action).has_value();
  };
  const auto points_of = [&](const Candidate& candidate) {
    const auto card = std::find(cards.begin(), cards.end(), candidate.action.card);
    return points[static_cast<std::size_t>(card - cards.begin())];
  };
  const auto other = std::find_if_not(candidates.begin(), candidates.end(), is_fault);
  if (other == candidates.begin() || other == candidates.end()) return;
  const std::vector<int> best = points_of(candidates.front());
  const std::vector<int> plain = points_of(*other);
  Difference difference;
  for (std::size_t world = 0; world < best.size(); ++world) {
    difference.Add(best[world] - plain[world]);
  }
  if (difference.ExcusesAFault()) return;
  std::rotate(candidates.begin(), other, other + 1);
  decision.action = candidates.front().action;
}

}  // namespace

Decision ChooseBid(const View& view, const Knowledge& knowledge, Rng rng, const Request& request,
                   const SearchBudget& budget) {
  return BidSearch(view, knowledge, rng, request, budget).Choose();
}

Decision ChooseCall(const View& view, const Knowledge& knowledge, Rng rng, const Request& request,
                    const SearchBudget& budget) {
  std::vector<Card> cards = Callable(view);
  if (view.legal.call_nobody || cards.empty()) cards.push_back(rules::kNoCard);
  if (request.consider.has_value() &&
      std::find(cards.begin(), cards.end(), request.consider->card) == cards.end()) {
    cards.push_back(request.consider->card);
  }
  WorldLoop loop(view, knowledge, rng, request, budget.plan_worlds_max);
  // The taker's points in each world, for each card.
  std::vector<std::vector<int>> points(cards.size());
  while (loop.Again()) {
    const World& world = loop.Next();
    const StyleWeights* const own = loop.worlds() % 2 == 0 ? budget.style : nullptr;
    for (std::size_t i = 0; i < cards.size(); ++i) {
      const auto input = PlayOutContract(view, world, view.contract, cards[i], loop.nodes(), own);
      points[i].push_back(ComputeScore(view.rules, input).taker);
    }
  }
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const auto sum = std::accumulate(points[i].begin(), points[i].end(), std::int64_t{0});
    candidates.push_back(
        {.action = Action::Call(cards[i]), .value = loop.Mean(sum), .worlds = loop.worlds()});
  }
  if (request.consider.has_value()) AddDifferenceErrors(points, candidates);
  Decision decision = loop.Answer(std::move(candidates));
  if (budget.avoids_faults) AvoidFault(view, knowledge, cards, points, decision);
  return decision;
}

Decision ChooseDiscard(const View& view, const Knowledge& knowledge, Rng rng,
                       const Request& request, const SearchBudget& budget) {
  constexpr int kShortlist = 12;
  const rules::DiscardRule rule{.allowed = view.legal.discards,
                                .count = view.legal.discard_count,
                                .trump_count = view.legal.discard_trump_count};
  std::vector<Plan> plans;
  for (const CardSet discard : HeuristicDiscards(view.hand, rule, view.called_card, kShortlist)) {
    plans.push_back({.discard = discard});
  }
  if (request.consider.has_value() && std::none_of(plans.begin(), plans.end(), [&](const Plan& p) {
        return p.discard == request.consider->cards;
      })) {
    plans.push_back({.discard = request.consider->cards});
  }
  WorldLoop loop(view, knowledge, rng, request, budget.plan_worlds_max);
  View after = AtFirstCard(view);
  // The search has three parts, and each part gets a third of the node budget. After the first and
  // the second part, the search drops the worse half of the plans, but keeps at least two plans.
  std::size_t alive = plans.size();
  for (std::uint64_t third = 1; third <= 3; ++third) {
    const std::uint64_t until = request.node_budget * third / 3;
    while (loop.Again() && (loop.worlds() == 0 || loop.nodes() < until)) {
      World world = loop.Next();
      const StyleWeights* const own = loop.worlds() % 2 == 0 ? budget.style : nullptr;
      for (std::size_t i = 0; i < alive; ++i) {
        after.discard = plans[i].discard;
        world.hands[static_cast<std::size_t>(view.viewer)] = view.hand - plans[i].discard;
        plans[i].points.push_back(PlayOut(after, world, loop.nodes(), own));
      }
    }
    std::stable_sort(plans.begin(), plans.begin() + static_cast<long>(alive),
                     [](const Plan& a, const Plan& b) { return a.Sum() > b.Sum(); });
    alive = third < 3 ? std::max<std::size_t>(alive / 2, 2) : alive;
    alive = std::min(alive, plans.size());
  }
  std::vector<Candidate> candidates;
  std::vector<std::vector<int>> points;
  for (Plan& plan : plans) {
    const auto worlds = static_cast<int>(plan.points.size());
    candidates.push_back({.action = Action::Discard(plan.discard),
                          .value = static_cast<int>(100 * plan.Sum() / worlds),
                          .worlds = worlds});
    points.push_back(std::move(plan.points));
  }
  if (budget.compares_common_worlds) CompareInCommonWorlds(points, candidates);
  if (request.consider.has_value()) AddDifferenceErrors(points, candidates);
  return loop.Answer(std::move(candidates));
}

Decision ChooseSlam(const View& view, const Knowledge& knowledge, Rng rng, const Request& request) {
  WorldLoop loop(view, knowledge, rng, request);
  if (CertainSlam(view.hand) && !request.consider.has_value()) {
    return loop.Answer({{.action = Action::Slam(true)}});
  }
  // Some seats decide about the slam before they see the dog. For such a seat, the play-out begins
  // before the taker takes the dog.
  const bool dog_seen = rules::DogIsShown(view.rules, view.phase, view.contract);
  const bool dog_left = view.contract >= rules::Contract::kGardeSans;
  // The points in each world: index 0 is without the announcement, index 1 with the announcement.
  std::vector<std::vector<int>> points(2);
  while (loop.Again()) {
    const World& world = loop.Next();
    for (const bool announced : {false, true}) {
      View said = view;
      said.slam_announced = announced;
      if (dog_seen || dog_left) {
        points[announced ? 1 : 0].push_back(PlayOut(AtFirstCard(said), world, loop.nodes()));
      } else {
        const auto input =
            PlayOutContract(said, world, view.contract, view.called_card, loop.nodes());
        points[announced ? 1 : 0].push_back(ComputeScore(view.rules, input).taker);
      }
    }
  }
  std::vector<Candidate> candidates;
  for (const bool announced : {false, true}) {
    const std::vector<int>& own = points[announced ? 1 : 0];
    candidates.push_back(
        {.action = Action::Slam(announced),
         .value = loop.Mean(std::accumulate(own.begin(), own.end(), std::int64_t{0})),
         .worlds = loop.worlds()});
  }
  if (request.consider.has_value()) AddDifferenceErrors(points, candidates);
  if (CertainSlam(view.hand)) {
    // The seat announces the slam, because the hand is certain to make it. The values of the
    // play-outs do not decide here, because play-outs sometimes fail to make such a slam.
    candidates[1].value = std::max(candidates[0].value, candidates[1].value);
    std::swap(candidates[0], candidates[1]);
  }
  return loop.Answer(std::move(candidates));
}

bool HandfulIsDue(const View& view) {
  const auto& levels = view.legal.handful_levels;
  return std::any_of(levels.begin(), levels.end(), [](bool due) { return due; });
}

HandfulAdvice AdviseHandful(const View& view, const Knowledge& knowledge, Rng rng,
                            const Request& request) {
  // One view for each handful that the seat may show. It is the view after the seat has shown this
  // handful.
  std::vector<View> shown;
  std::vector<Candidate> candidates;
  const auto show = [&](CardSet cards, int level) {
    shown.push_back(view);
    shown.back().handfuls[static_cast<std::size_t>(view.handful_count)] = {
        .seat = view.viewer, .level = level, .cards = cards};
    ++shown.back().handful_count;
    candidates.push_back({.action = Action::Handful(cards)});
  };
  // The largest handful comes first. The score does not depend on the cards that the seat shows for
  // a handful.
  for (int level = 3; level >= 1; --level) {
    if (!view.legal.handful_levels[static_cast<std::size_t>(level)]) continue;
    const int size = view.rules.HandfulSize(view.players, level);
    const bool considered = request.consider.has_value() &&
                            request.consider->kind == Action::Kind::kHandful &&
                            request.consider->cards.Size() == size;
    show(considered ? request.consider->cards : HandfulCards(view.legal.handful_cards, size),
         level);
  }
  WorldLoop loop(view, knowledge, rng, request);
  std::int64_t without = 0;
  std::vector<std::int64_t> gains(shown.size());
  std::vector<std::int64_t> stakes(shown.size());
  std::vector<std::vector<int>> gains_in(shown.size());  // The gain in each world.
  while (loop.Again()) {
    const World& world = loop.Next();
    FastDeal deal = MakeFastDeal(view, world);
    loop.nodes() += static_cast<std::uint64_t>(HeuristicPlayOut(deal));
    const int points = Points(view, world, deal);
    without += points;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const int gain = Points(shown[i], world, deal) - points;
      gains[i] += gain;
      gains_in[i].push_back(gain);
      stakes[i] += std::abs(gain);
    }
  }
  // A handful tells the other seats where the trumps are. So it must win clearly more than it
  // loses. Let W be the points that it wins, summed over all worlds, and L the points that it
  // loses. The code requires W - L >= (W + L) / 4.
  std::size_t best = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    candidates[i].value = loop.Mean(gains[i]);
    candidates[i].worlds = loop.worlds();
    if (request.consider.has_value())
      candidates[i].difference_error = ErrorOfMean(gains_in[i], 100);
    if (gains[i] > gains[best]) best = i;
  }
  HandfulAdvice advice{.pays = gains[best] > 0 && 4 * gains[best] >= stakes[best],
                       .without_it = loop.Mean(without)};
  advice.decision = loop.Answer(std::move(candidates));
  return advice;
}

}  // namespace tarot::ai
