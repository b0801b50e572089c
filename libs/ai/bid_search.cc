#include "libs/ai/bid_search.h"

#include <algorithm>

#include "libs/ai/bid_model.h"
#include "libs/ai/outlook.h"
#include "libs/ai/thumb.h"
#include "libs/ai/world_loop.h"
#include "libs/rules/bidding.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
using rules::Contract;
using rules::View;

// Play-outs of one way to take.
class Outlook {
 public:
  Outlook(const View& view, const Features& features, Contract contract, Card call)
      : view_(view), features_(features), contract_(contract), call_(call) {}

  void Add(const World& world, std::uint64_t& nodes) {
    inputs_.push_back(PlayedOut(view_, world, contract_, call_, nodes));
    margins_ += MarginOf(inputs_.back());
  }
  // Of the margins as played out, in hundredths of half points.
  int Mean() const { return 100 * margins_ / static_cast<int>(inputs_.size()); }
  // What to expect of the margin by play-outs and fit, in hundredths of half points.
  int Expected() const {
    const auto count = static_cast<int>(inputs_.size());
    return ExpectedMargin(view_, features_, Untouched(), Mean(), count);
  }
  // What `contract` scores on average, in hundredths of points, with a margin around `expected`.
  int Value(Contract contract, int expected) const;
  int Value(Contract contract) const { return Value(contract, Expected()); }

 private:
  bool Untouched() const { return contract_ >= Contract::kGardeSans; }

  const View& view_;
  const Features& features_;
  const Contract contract_;
  const Card call_;
  std::vector<rules::ScoreInput> inputs_;
  int margins_ = 0;
};

int Outlook::Value(Contract contract, int expected) const {
  const auto steps = MarginSpread(view_.playing, Untouched());
  std::int64_t sum = 0;
  std::int64_t count = 0;
  for (rules::ScoreInput input : inputs_) {
    input.contract = contract;
    if (view_.rules.scoring == rules::Scoring::kTakerCountsHonours) {
      // The fit knows nothing of courts.
      sum += ComputeScore(view_.rules, input).taker;
      ++count;
      continue;
    }
    // Bouts and bonuses as played out; a slam says more of the play-out than of the hand.
    input.slam = rules::SlamOutcome::kNone;
    const int none = input.attack_half_points - MarginOf(input);  // Half points of a margin of 0.
    for (const int step : steps) {
      input.attack_half_points =
          std::clamp(none + (expected + step) / 100, 0, rules::kTotalHalfPoints);
      sum += ComputeScore(view_.rules, input).taker;
      ++count;
    }
  }
  return static_cast<int>(100 * sum / count);
}

// Below this margin by features nobody leaves the dog, in hundredths of half points.
constexpr int kHopelessUntouched = -2000;

class BidSearch {
 public:
  BidSearch(const View& view, Rng rng, const Request& request)
      : view_(view),
        request_(request),
        loop_(view, rng, request),
        features_(FeaturesOf(view.hand, view.bid_count, view.playing)) {}

  Decision Choose();

 private:
  bool Legal(Contract contract) const {
    return view_.legal.bids[static_cast<std::size_t>(contract)];
  }
  // Whether `contract` must have a value.
  bool Weighed(Contract contract) const {
    if (!Legal(contract)) return false;
    if (contract <= Contract::kGarde || !Legal(Contract::kPass)) return true;
    return request_.consider == Action::Bid(contract) ||
           MarginOfHand(features_, view_.playing, true) > kHopelessUntouched;
  }
  const View& view_;
  const Request& request_;
  WorldLoop loop_;
  const Features features_;
};

Decision BidSearch::Choose() {
  Card call = rules::kNoCard;
  if (view_.playing == 5) {
    const CardSet calls = rules::CallableCards(view_.rules, view_.hand);
    if (!calls.Empty()) call = ThumbCall(view_.hand, calls);
  }
  Outlook taken(view_, features_, Contract::kGarde, call);
  Outlook untouched(view_, features_, Contract::kGardeSans, call);
  Outlook against(view_, features_, Contract::kGardeContre, call);
  const bool weigh_taken = Weighed(Contract::kPrise) || Weighed(Contract::kGarde);
  const bool weigh_against = Weighed(Contract::kGardeContre);
  const bool weigh_untouched = Weighed(Contract::kGardeSans) || weigh_against;
  while ((weigh_taken || weigh_untouched) && loop_.Again()) {
    const World& world = loop_.Next();
    if (weigh_taken) taken.Add(world, loop_.nodes());
    if (weigh_untouched) untouched.Add(world, loop_.nodes());
    if (weigh_against) against.Add(world, loop_.nodes());
  }

  std::vector<Candidate> candidates;
  const auto add = [&](Contract contract, int value) {
    if (!Weighed(contract)) return;
    candidates.push_back(
        {.action = Action::Bid(contract), .value = value, .worlds = loop_.worlds()});
  };
  const int margin = weigh_taken ? taken.Expected() : MarginOfHand(features_, view_.playing, false);
  add(Contract::kPass, PassPoints(view_, margin));
  if (weigh_taken) {
    add(Contract::kPrise, taken.Value(Contract::kPrise));
    add(Contract::kGarde, taken.Value(Contract::kGarde));
  }
  if (weigh_untouched) add(Contract::kGardeSans, untouched.Value(Contract::kGardeSans));
  if (weigh_against) {
    // The fit knows the dog as the taker's; play-outs tell what it means to lose it.
    const int lost = against.Mean() - untouched.Mean();
    add(Contract::kGardeContre, against.Value(Contract::kGardeContre, untouched.Expected() + lost));
  }
  return loop_.Answer(std::move(candidates));
}

// Cards worth calling: all, or where any may be called those that win a trick and no others.
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
    cards.push_back(ThumbCall(view.hand, view.legal.calls));
  }
  return cards;
}

}  // namespace

Decision ChooseBid(const View& view, Rng rng, const Request& request) {
  return BidSearch(view, rng, request).Choose();
}

Decision ChooseCall(const View& view, Rng rng, const Request& request, const Effort& effort) {
  std::vector<Card> cards = Callable(view);
  if (view.legal.call_nobody || cards.empty()) cards.push_back(rules::kNoCard);
  if (request.consider.has_value() &&
      std::find(cards.begin(), cards.end(), request.consider->card) == cards.end()) {
    cards.push_back(request.consider->card);
  }
  WorldLoop loop(view, rng, request, effort.plan_worlds_max);
  std::vector<std::int64_t> sums(cards.size());
  while (loop.Again()) {
    const World& world = loop.Next();
    const StyleWeights* const own = loop.worlds() % 2 == 0 ? effort.style : nullptr;
    for (std::size_t i = 0; i < cards.size(); ++i) {
      const auto input = PlayedOut(view, world, view.contract, cards[i], loop.nodes(), own);
      sums[i] += ComputeScore(view.rules, input).taker;
    }
  }
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    candidates.push_back(
        {.action = Action::Call(cards[i]), .value = loop.Mean(sums[i]), .worlds = loop.worlds()});
  }
  return loop.Answer(std::move(candidates));
}

}  // namespace tarot::ai
