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

// The results of the play-outs of one contract.
class ContractEvaluation {
 public:
  ContractEvaluation(const View& view, const Features& features, Contract contract, Card call)
      : view_(view), features_(features), contract_(contract), call_(call) {}

  void Add(const World& world, std::uint64_t& nodes) {
    inputs_.push_back(PlayOutContract(view_, world, contract_, call_, nodes));
    margins_.push_back(MarginOf(inputs_.back()));
  }
  // Returns the mean margin of the play-outs, in hundredths of half points.
  int Mean() const {
    return 100 * std::accumulate(margins_.begin(), margins_.end(), 0) /
           static_cast<int>(margins_.size());
  }
  // Returns the expected margin from the play-outs and the bid model, in hundredths of half points.
  int Expected() const { return ExpectedWith(Mean()); }
  // Returns the standard error of Expected(). Returns nullopt if there are too few worlds.
  std::optional<int> Error() const;
  // Returns the taker's mean score for `contract`, in hundredths of a point. `expected` is the
  // expected margin, and the real margins vary around it.
  int Value(Contract contract, int expected) const;
  // Sets the fields `made`, `low` and `high` of `candidate`, from the same scores.
  void AddChances(Contract contract, int expected, Candidate& candidate) const;

 private:
  bool Untouched() const { return contract_ >= Contract::kGardeSans; }
  int ExpectedWith(int mean) const {
    return ExpectedMargin(view_, features_, Untouched(), mean, static_cast<int>(inputs_.size()));
  }
  // Calls `use` with the score of each play-out at each likely margin.
  template <typename Use>
  void ForEachScore(Contract contract, int expected, Use use) const;

  const View& view_;
  const Features& features_;
  const Contract contract_;
  const Card call_;
  std::vector<rules::ScoreInput> inputs_;
  std::vector<int> margins_;  // The margin of each play-out, in half points.
};

std::optional<int> ContractEvaluation::Error() const {
  const std::optional<int> of_mean = ErrorOfMean(margins_, 100);
  if (!of_mean) return std::nullopt;
  // The fit has kFeatureCount weights, from 9,245 to 21,047 deals with a taken dog and from 3,527
  // to 5,641 deals with an untouched dog (docs/lab). So the standard error of a fitted margin is
  // about this part of the spread of the margins around the fit.
  const int part = Untouched() ? 10 : 16;
  const MarginWeights& weights =
      kBidWeights[static_cast<std::size_t>(view_.playing - 3)].margin[Untouched() ? 1 : 0];
  return ErrorOfSum(ExpectedWith(Mean() + *of_mean) - Expected(), weights.spread / part);
}

template <typename Use>
void ContractEvaluation::ForEachScore(Contract contract, int expected, Use use) const {
  const auto steps = MarginSpread(view_.playing, Untouched());
  for (rules::ScoreInput input : inputs_) {
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

int ContractEvaluation::Value(Contract contract, int expected) const {
  std::int64_t sum = 0;
  std::int64_t count = 0;
  ForEachScore(contract, expected, [&](const rules::Score& score) {
    sum += score.taker;
    ++count;
  });
  return static_cast<int>(100 * sum / count);
}

void ContractEvaluation::AddChances(Contract contract, int expected, Candidate& candidate) const {
  int made = 0;
  std::vector<int> scores;
  ForEachScore(contract, expected, [&](const rules::Score& score) {
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
        features_(FeaturesOf(view.hand, view.bid_count, view.playing)) {}

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
  // Sets `difference_error` of the candidates. `value(contract, errors)` is the value of a bid if
  // all expected margins are `errors` standard errors too high.
  template <typename Value>
  static void AddDifferenceErrors(Value value, std::vector<Candidate>& candidates) {
    const Candidate best =
        *std::max_element(candidates.begin(), candidates.end(),
                          [](const Candidate& a, const Candidate& b) { return a.value < b.value; });
    for (Candidate& candidate : candidates) {
      const int difference = *best.value - *candidate.value;
      int error = 0;
      for (const int errors : {-1, 1}) {
        const int other =
            value(best.action.contract, errors) - value(candidate.action.contract, errors);
        error = std::max(error, std::abs(other - difference));
      }
      candidate.difference_error = error;
    }
  }

  const View& view_;
  const Knowledge& knowledge_;
  const Request& request_;
  const bool avoids_faults_;
  const int pass_penalty_;
  const int untouched_gain_;
  WorldLoop loop_;
  const Features features_;
};

Decision BidSearch::Choose() {
  Card call = rules::kNoCard;
  if (view_.playing == 5) {
    const CardSet calls = rules::CallableCards(view_.rules, view_.hand);
    if (!calls.Empty()) call = HeuristicCall(view_.hand, calls);
  }
  ContractEvaluation taken(view_, features_, Contract::kGarde, call);
  ContractEvaluation untouched(view_, features_, Contract::kGardeSans, call);
  ContractEvaluation against(view_, features_, Contract::kGardeContre, call);
  const bool weigh_taken = Weighed(Contract::kPrise) || Weighed(Contract::kGarde);
  const bool weigh_against = Weighed(Contract::kGardeContre);
  const bool weigh_untouched = Weighed(Contract::kGardeSans) || weigh_against;
  while ((weigh_taken || weigh_untouched) && loop_.Again()) {
    const World& world = loop_.Next();
    if (weigh_taken) taken.Add(world, loop_.nodes());
    if (weigh_untouched) untouched.Add(world, loop_.nodes());
    if (weigh_against) against.Add(world, loop_.nodes());
  }

  // Returns the evaluation of `contract`, which must be no pass, and its expected margin. The
  // margin is `errors` standard errors too high.
  const auto evaluate = [&](Contract contract, int errors) {
    const bool dog_left = contract >= Contract::kGardeSans;
    const ContractEvaluation& evaluation = dog_left ? untouched : taken;
    int margin = evaluation.Expected();
    if (errors != 0) margin += errors * *evaluation.Error();
    if (contract != Contract::kGardeContre) return std::pair(&evaluation, margin);
    // The bid model assumes that the dog counts for the taker. With Garde contre, the dog counts
    // for the defence. So the expected margin changes by the mean margin of the play-outs with
    // Garde contre minus the mean margin with Garde sans. This change is usually negative.
    const ContractEvaluation* const contre = &against;
    return std::pair(contre, margin + against.Mean() - untouched.Mean());
  };
  const auto value = [&](Contract contract, int errors) {
    if (contract != Contract::kPass) {
      const auto [evaluation, margin] = evaluate(contract, errors);
      return evaluation->Value(contract, margin);
    }
    const int margin = weigh_taken ? evaluate(Contract::kGarde, errors).second
                                   : MarginOfHand(features_, view_.playing, false);
    return PassPoints(view_, margin) - pass_penalty_;
  };
  std::vector<Candidate> candidates;
  for (const Contract contract : {Contract::kPass, Contract::kPrise, Contract::kGarde,
                                  Contract::kGardeSans, Contract::kGardeContre}) {
    if (!Weighed(contract)) continue;
    candidates.push_back(
        {.action = Action::Bid(contract), .value = value(contract, 0), .worlds = loop_.worlds()});
    if (!request_.consider.has_value() || contract == Contract::kPass) continue;
    const auto [evaluation, margin] = evaluate(contract, 0);
    evaluation->AddChances(contract, margin, candidates.back());
  }
  const bool errors_known =
      (!weigh_taken || taken.Error()) && (!weigh_untouched || untouched.Error());
  if (request_.consider.has_value() && errors_known) AddDifferenceErrors(value, candidates);
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
  if (request.consider.has_value()) {
    CompareInCommonWorlds(points, candidates);
    AddDifferenceErrors(points, candidates);
  }
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
