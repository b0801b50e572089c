// Learns the weights of style.h from the values that the card search finds in its own games:
//   tarot-lab fit style --deals DEALS > libs/ai/style_weights.cc
// The command plays two rounds. Each round has DEALS deals for each number of players (3, 4 and 5).
// In the first round all play-outs are heuristic. In the second round, half of the play-outs use
// the weights learned from the first round. The command prints the weights learned from the deals
// of both rounds.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "libs/ai/arena.h"
#include "libs/ai/card_search.h"
#include "libs/ai/heuristic.h"
#include "libs/base/check.h"
#include "tools/lab/fit/fit.h"

namespace tarot::ai {
namespace {

struct Option {
  StyleTerms terms;
  float points = 0;  // The expected points of this card minus the expected points of the best card.
                     // The difference is at most 0.
};
// The options of all decisions, one decision after the other. sizes[i] is the number of options of
// decision i.
struct Lessons {
  std::vector<Option> options;
  std::vector<int> sizes;
};

using StyleWeightsInTraining = std::vector<float>;

constexpr std::uint64_t kNodes = 6000;
// Play() chooses one of every 12 cards at random, on average, for a greater variety of positions.
constexpr int kStrayOneIn = 12;

// Returns a deal in which the first card is about to be played. The seat with the best HandValue()
// bids Garde and all others pass. The level `novice` makes the decisions after the auction.
rules::Deal StartOfPlay(int players, Rng& rng) {
  for (;;) {
    rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
    rules::Seat taker = 0;
    for (rules::Seat seat = 1; seat < players; ++seat) {
      const auto value = [&deal](rules::Seat s) {
        return HandValue(deal.hands[static_cast<std::size_t>(s)], true);
      };
      if (value(seat) > value(taker)) taker = seat;
    }
    while (deal.phase != rules::Phase::kPlaying && deal.phase != rules::Phase::kDone) {
      const bool bids = deal.phase == rules::Phase::kBidding;
      const auto contract = deal.turn == taker ? rules::Contract::kGarde : rules::Contract::kPass;
      const rules::Action action =
          bids ? rules::Action::Bid(contract)
               : Novice().Choose(RememberedView(deal, deal.turn), Rng(0), {}).action;
      TAROT_CHECK(Apply(deal, deal.turn, action).ok());
    }
    if (deal.phase == rules::Phase::kPlaying) return deal;
  }
}

void Learn(const rules::Deal& deal, const rules::View& view, const Decision& decision,
           Lessons& lessons) {
  const FastDeal fast = MakeFastDeal(view, World{.hands = deal.hands, .aside = {}});
  const StyleFeatures features(fast);
  for (const Candidate& candidate : decision.candidates) {
    const int less = *candidate.value - *decision.value();
    lessons.options.push_back({.terms = features.Terms(candidate.action.card),
                               .points = std::max(static_cast<float>(less) / 100, -40.0f)});
  }
  lessons.sizes.push_back(static_cast<int>(decision.candidates.size()));
}

void Play(int players, std::uint64_t seed, const SearchBudget& budget, Lessons& lessons) {
  Rng rng(seed);
  rules::Deal deal = StartOfPlay(players, rng);
  while (deal.phase != rules::Phase::kDone) {
    const rules::View view = RememberedView(deal, deal.turn);
    rules::Action action = Novice().Choose(view, Rng(0), {}).action;
    if (action.kind == rules::Action::Kind::kPlay) {
      const Decision decision =
          ChooseCard(view, *Know(view), Rng(rng.Next()), {.node_budget = kNodes}, budget);
      if (decision.worlds > 0) Learn(deal, view, decision, lessons);
      const auto count = static_cast<int>(decision.candidates.size());
      const int stray = rng.Below(kStrayOneIn) == 0 ? rng.Below(count) : 0;
      action = decision.candidates[static_cast<std::size_t>(stray)].action;
    }
    TAROT_CHECK(Apply(deal, deal.turn, action).ok());
  }
}

constexpr float kCalm = 2;

// A player chooses each card with a probability that follows from the card's score. The goal of the
// training is a sum: the player's expected points, divided by kCalm, plus the entropy of these
// probabilities. Returns the derivative of the goal by each score. The goal is linear in the
// points, so the noise of the points averages out.
std::array<float, 24> Slopes(const Option* options, int size,
                             const StyleWeightsInTraining& weights) {
  std::array<float, 24> score{};
  float all = 0;
  for (int k = 0; k < size; ++k) {
    for (const std::uint16_t term : options[k].terms) score[k] += weights[term];
    all += std::exp(score[k]);
  }
  const auto gain = [&](int k) { return options[k].points / kCalm - (score[k] - std::log(all)); };
  float mean = 0;
  for (int k = 0; k < size; ++k) mean += std::exp(score[k]) / all * gain(k);
  std::array<float, 24> slopes{};
  for (int k = 0; k < size; ++k) slopes[k] = std::exp(score[k]) / all * (gain(k) - mean);
  return slopes;
}

// Trains the weights with AdaGrad.
StyleWeightsInTraining Train(const Lessons& lessons) {
  constexpr int kRounds = 9;
  StyleWeightsInTraining weights(kStyleWeightCount);
  std::vector<float> squares(weights.size(), 1e-3f);
  std::vector<std::size_t> starts;
  std::vector<std::size_t> order;
  for (std::size_t at = 0; const int size : lessons.sizes) {
    order.push_back(starts.size());
    starts.push_back(at);
    at += static_cast<std::size_t>(size);
  }
  Rng rng(1);
  for (int round = 0; round < kRounds; ++round) {
    rng.Shuffle(order);
    const float rate = 0.15f / (1 + 0.3f * static_cast<float>(round));
    for (const std::size_t i : order) {
      const Option* const options = &lessons.options[starts[i]];
      const std::array<float, 24> slopes = Slopes(options, lessons.sizes[i], weights);
      for (int k = 0; k < lessons.sizes[i]; ++k) {
        for (const std::uint16_t term : options[k].terms) {
          const float slope = slopes[k] - 1e-4f * weights[term];
          squares[term] += slope * slope;
          weights[term] += rate * slope / std::sqrt(squares[term]);
        }
      }
    }
  }
  return weights;
}

StyleWeights Rounded(const StyleWeightsInTraining& weights) {
  StyleWeights rounded;
  for (std::size_t i = 0; i < rounded.size(); ++i) {
    const int units = static_cast<int>(std::lround(weights[i] * kStyleUnit));
    rounded[i] = static_cast<std::int8_t>(std::clamp(units, -kStyleWeightMax, kStyleWeightMax));
  }
  return rounded;
}

void Print(const StyleWeights& weights, int deals) {
  std::printf(
      "// Made by `tarot-lab fit style --deals %d`; see tools/lab/fit/fit_style.cc.\n#include "
      "\"libs/ai/style.h\"\n\n"
      "namespace tarot::ai {\n\nconstexpr char kText[] =\n",
      deals);
  constexpr std::size_t kColumns = 94;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (i % kColumns == 0) std::printf(i == 0 ? "    \"" : "\"\n    \"");
    int sign = '#' + kStyleWeightMax + weights[i];
    sign += sign >= '\\' ? 1 : 0;
    sign += sign >= '_' ? 1 : 0;
    std::putchar(sign);
  }
  std::printf(
      "\";\nstatic_assert(sizeof(kText) == kStyleWeightCount + 1);\n\n"
      "constinit const StyleWeights kFittedStyle = ReadStyle(kText);\n\n}  // namespace "
      "tarot::ai\n");
}

}  // namespace

void FitStyle(int deals) {
  Lessons lessons;
  std::optional<StyleWeights> learned;
  for (std::uint64_t round = 0; round < 2; ++round) {
    SearchBudget budget{.endgame_budget = kNodes, .endgame_tricks = {0, 0, 0, 6, 6, 4}};
    budget.style = learned ? &*learned : nullptr;
    for (int players = rules::kPlayersMin; players <= rules::kPlayersMax; ++players) {
      const std::uint64_t seed =
          round * 10'000'000 + static_cast<std::uint64_t>(players) * 1'000'000;
      for (int i = 0; i < deals; ++i) {
        Play(players, seed + static_cast<std::uint64_t>(i), budget, lessons);
      }
    }
    learned = Rounded(Train(lessons));
  }
  Print(*learned, deals);
}

}  // namespace tarot::ai
