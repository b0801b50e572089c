#include "libs/ai/bid_model.h"

#include <algorithm>

#include "libs/rules/scoring.h"

namespace tarot::ai {
namespace {

using rules::CardSet;
using rules::Contract;
using rules::Suit;
using rules::View;

// Computes the features of a hand.
class Counter {
 public:
  Counter(CardSet hand, int place, int playing) : hand_(hand) {
    At(Feature::kOne) = 1;
    CountTrumps();
    for (const Suit suit : {Suit::kSpades, Suit::kHearts, Suit::kDiamonds, Suit::kClubs}) {
      CountSuit(suit, hand & CardSet::OfSuit(suit));
    }
    const int trumps = At(Feature::kTrumps);
    At(Feature::kVoidTrumps) = (2 * At(Feature::kVoids) + At(Feature::kSingletons)) * trumps;
    At(Feature::kLongTrumps) = At(Feature::kLengthOver4) * trumps;
    At(Feature::kFirstToLead) = place == 0 ? 1 : 0;
    At(Feature::kLastToPlay) = place == playing - 1 ? 1 : 0;
  }
  const Features& features() const { return features_; }

 private:
  int& At(Feature feature) { return features_[static_cast<std::size_t>(feature)]; }
  int Has(rules::Card card) const { return hand_.Contains(card) ? 1 : 0; }

  void CountTrumps() {
    const CardSet trumps = hand_ & CardSet::AllTrumps();
    const int count = trumps.Size();
    const auto between = [&](int low, int high) {
      int found = 0;
      for (int rank = low; rank <= high; ++rank) found += Has(rules::Trump(rank));
      return found;
    };
    At(Feature::kTrumps) = count;
    At(Feature::kTrumpsOver5) = std::max(0, count - 5);
    At(Feature::kTrumpsOver7) = std::max(0, count - 7);
    At(Feature::kTrumpsOver10) = std::max(0, count - 10);
    At(Feature::kTwentyOne) = Has(rules::kTwentyOne);
    At(Feature::kExcuse) = Has(rules::kExcuse);
    const int petit = Has(rules::kPetit);
    At(Feature::kPetit) = petit;
    At(Feature::kPetitTrumps) = petit * count;
    At(Feature::kPetitTrumpsOver6) = petit * std::max(0, count - 6);
    const int bouts = (hand_ & CardSet::Bouts()).Size();
    At(Feature::kTwoBouts) = bouts == 2 ? 1 : 0;
    At(Feature::kThreeBouts) = bouts == 3 ? 1 : 0;
    At(Feature::kBoutTrumps) = bouts * count;
    At(Feature::kTrump20) = Has(rules::Trump(20));
    At(Feature::kTrump19) = Has(rules::Trump(19));
    At(Feature::kTrump18) = Has(rules::Trump(18));
    At(Feature::kTrump17) = Has(rules::Trump(17));
    At(Feature::kTrumps14To16) = between(14, 16);
    At(Feature::kTrumps10To13) = between(10, 13);
    int masters = 0;
    while (masters < rules::kTrumpCount && Has(rules::Trump(rules::kTrumpCount - masters)) != 0) {
      ++masters;
    }
    At(Feature::kMasterTrumps) = masters;
  }

  void CountSuit(Suit suit, CardSet cards) {
    const int length = cards.Size();
    const int king = Has(SuitCard(suit, 14));
    const int queen = Has(SuitCard(suit, 13));
    const int knight = Has(SuitCard(suit, 12));
    At(Feature::kKings) += king;
    At(Feature::kQueensWithKing) += king * queen;
    At(Feature::kQueensGuarded) += king == 0 && length >= 3 ? queen : 0;
    At(Feature::kQueensBare) += king == 0 && length < 3 ? queen : 0;
    At(Feature::kKnightsBacked) += king + queen > 0 ? knight : 0;
    At(Feature::kKnights) += king + queen > 0 ? 0 : knight;
    At(Feature::kJacks) += Has(SuitCard(suit, 11));
    At(Feature::kKingSuitLength) += king * (length - 1);
    At(Feature::kVoids) += length == 0 ? 1 : 0;
    At(Feature::kSingletons) += length == 1 ? 1 : 0;
    At(Feature::kDoubletons) += length == 2 ? 1 : 0;
    At(Feature::kLengthOver4) += std::max(0, length - 4);
    At(Feature::kLengthOver5) += std::max(0, length - 5);
  }

  const CardSet hand_;
  Features features_{};
};

const BidWeights& WeightsFor(int playing) {
  return kBidWeights[static_cast<std::size_t>(playing - 3)];
}

// Returns the index h of AuctionWeights for `highest`, the highest bid so far.
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

// Returns the points that each defender pays if the attack gets ten card points more than it needs
// for `contract`.
int Stake(const rules::RuleSet& rules, int playing, Contract contract) {
  rules::ScoreInput input;
  input.players = playing;
  input.contract = contract;
  input.attack_half_points = 2 * rules.threshold[0] + 20;
  return -ComputeScore(rules, input).defender;
}

}  // namespace

Features FeaturesOf(CardSet hand, int place, int playing) {
  return Counter(hand, place, playing).features();
}

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
  // A normal distribution is divided into sixteen equally likely parts. These numbers are the
  // medians of the parts, in hundredths of the standard deviation.
  std::array<int, kMarginSteps> steps{-186, -132, -101, -78, -58, -40, -24, -8,
                                      8,    24,   40,   58,  78,  101, 132, 186};
  const int spread = WeightsFor(playing).margin[untouched ? 1 : 0].spread;
  for (int& step : steps) step = step * spread / 100;
  return steps;
}

int PassPoints(const View& view, int margin) {
  // In practice games 2 and 3 a defender scores nothing, so a pass is worth 0 points. Practice game
  // 1 has no auction.
  if (view.rules.scoring != rules::Scoring::kNormal) return 0;
  const Contract highest = HighestOf(view, view.bid_count);
  const int left = view.playing - 1 - view.bid_count;
  const auto& line =
      WeightsFor(view.playing).auction.pass[Height(highest)][static_cast<std::size_t>(left)];
  const int x = std::clamp(margin, -6000, 6000);
  const int points = line[0] + (line[1] * x + line[2] * std::max(0, x + 2000)) / 100;
  // The weights were fitted to deals with Prise and Garde under the federation's rules. For another
  // contract or rule set, the result is multiplied by a ratio: the stake of this contract divided
  // by the stake of the contract in the fit.
  const Contract known = highest == Contract::kPrise ? Contract::kPrise : Contract::kGarde;
  const Contract meant = highest == Contract::kPass ? Contract::kGarde : highest;
  const int stake = Stake(view.rules, view.playing, meant);
  return points * stake / Stake(rules::RuleSet(), view.playing, known);
}

}  // namespace tarot::ai
