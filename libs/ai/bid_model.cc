#include "libs/ai/bid_model.h"

#include <algorithm>

#include "libs/ai/bid_weights.h"
#include "libs/rules/scoring.h"

namespace tarot::ai {
namespace {

using rules::Contract;
using rules::View;

const BidWeights& WeightsFor(int playing) {
  return kBidWeights[static_cast<std::size_t>(playing - 3)];
}

// Index into the tables of an auction.
std::size_t Height(Contract highest) {
  return std::min<std::size_t>(static_cast<std::size_t>(highest), 2);
}

Contract HighestOf(const View& view, int bids) {
  Contract highest = Contract::kPass;
  for (int i = 0; i < bids; ++i)
    highest = std::max(highest, view.bids[static_cast<std::size_t>(i)]);
  return highest;
}

int Weigh(const std::array<int, kFeatureCount>& weights, const Features& features) {
  int sum = 0;
  for (std::size_t i = 0; i < kFeatureCount; ++i) sum += weights[i] * features[i];
  return sum / 10;
}

// What a defender pays by `rules` when a contract is made by ten points.
int Stake(const rules::RuleSet& rules, int playing, Contract contract) {
  rules::ScoreInput input;
  input.players = playing;
  input.contract = contract;
  input.attack_half_points = 2 * rules.threshold[0] + 20;
  return -ComputeScore(rules, input).defender;
}

}  // namespace

int MarginOfHand(const Features& features, int playing, bool untouched) {
  return Weigh(WeightsFor(playing).margin[untouched ? 1 : 0].margin, features);
}

int ExpectedMargin(const View& view, const Features& features, bool untouched, int mean,
                   int count) {
  const BidWeights& all = WeightsFor(view.playing);
  const MarginWeights& weights = all.margin[untouched ? 1 : 0];
  const int by_features = Weigh(weights.margin, features);
  const int news = mean - Weigh(weights.play_outs, features);
  const int trusted = news * weights.trust / 1000 * count / (count + weights.half_trust);
  const int history = all.auction.history[Height(HighestOf(view, view.bid_count))]
                                         [static_cast<std::size_t>(view.bid_count)];
  return by_features + trusted + history;
}

std::array<int, kMarginSteps> MarginSpread(int playing, bool untouched) {
  // The middles of sixteen equal parts of a normal distribution, in hundredths of its deviation.
  std::array<int, kMarginSteps> steps{-186, -132, -101, -78, -58, -40, -24, -8,
                                      8,    24,   40,   58,  78,  101, 132, 186};
  const int spread = WeightsFor(playing).margin[untouched ? 1 : 0].spread;
  for (int& step : steps) step = step * spread / 100;
  return steps;
}

int PassPoints(const View& view, int margin) {
  if (view.rules.scoring != rules::Scoring::kNormal) return 0;  // The taker alone scores.
  const Contract highest = HighestOf(view, view.bid_count);
  const int left = view.playing - 1 - view.bid_count;
  const auto& line =
      WeightsFor(view.playing).auction.pass[Height(highest)][static_cast<std::size_t>(left)];
  const int x = std::clamp(margin, -6000, 6000);
  const int points = line[0] + (line[1] * x + line[2] * std::max(0, x + 2000)) / 100;
  // The table speaks of the federation's Prise and Garde.
  const Contract known = highest == Contract::kPrise ? Contract::kPrise : Contract::kGarde;
  const Contract meant = highest == Contract::kPass ? Contract::kGarde : highest;
  const int stake = Stake(view.rules, view.playing, meant);
  return points * stake / Stake(rules::RuleSet(), view.playing, known);
}

}  // namespace tarot::ai
