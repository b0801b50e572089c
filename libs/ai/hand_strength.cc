#include "libs/ai/hand_strength.h"

#include <algorithm>
#include <bit>

#include "libs/base/check.h"

namespace tarot::ai {
namespace {

using rules::CardSet;

constexpr std::uint64_t kSuitBits = (1u << rules::kSuitSize) - 1;
constexpr int kHighTrumpsFrom = 9;  // The bit of trump 10 in CardSet::trumps().

// Returns the weighted sum of the features from `first` to `last`.
int SumOf(const std::array<int, kFeatureCount>& weights, const Features& features, Feature first,
          Feature last) {
  int sum = 0;
  for (auto i = static_cast<std::size_t>(first); i <= static_cast<std::size_t>(last); ++i) {
    sum += weights[i] * features[i];
  }
  return sum;
}

}  // namespace

const HandStrength& HandStrength::For(int playing) {
  static const auto* const three = new HandStrength(3);
  static const auto* const four = new HandStrength(4);
  static const auto* const five = new HandStrength(5);
  TAROT_CHECK(playing >= 3 && playing <= 5);
  return playing == 3 ? *three : playing == 4 ? *four : *five;
}

HandStrength::HandStrength(int playing)
    : playing_(playing),
      weights_(kBidWeights[static_cast<std::size_t>(playing - 3)].margin[0].margin) {
  for (std::size_t cards = 0; cards < suits_.size(); ++cards) {
    Features features = FeaturesOf(CardSet::FromWords(cards, 0), 1, playing);
    features[static_cast<std::size_t>(Feature::kVoids)] -= 3;  // Not the three other suits.
    const int length = std::popcount(cards);
    suits_[cards] = {.sum = SumOf(weights_, features, Feature::kKings, Feature::kLengthOver5),
                     .short_suits = static_cast<std::int16_t>(std::max(0, 2 - length)),
                     .over4 = static_cast<std::int16_t>(std::max(0, length - 4))};
  }
  for (std::size_t cards = 0; cards < high_trumps_.size(); ++cards) {
    const Features features =
        FeaturesOf(CardSet::FromWords(0, cards << kHighTrumpsFrom), 1, playing);
    high_trumps_[cards] = SumOf(weights_, features, Feature::kTrump20, Feature::kMasterTrumps);
  }
}

int HandStrength::TrumpSum(std::uint64_t trumps) const {
  const int count = std::popcount(trumps & CardSet::AllTrumps().trumps());
  const int petit = static_cast<int>(trumps & 1);
  const int twenty_one = static_cast<int>(trumps >> 20 & 1);
  const int excuse = static_cast<int>(trumps >> 21 & 1);
  const int bouts = petit + twenty_one + excuse;
  int sum = high_trumps_[trumps >> kHighTrumpsFrom & (high_trumps_.size() - 1)];
  sum += Weight(Feature::kOne) + Weight(Feature::kTrumps) * count +
         Weight(Feature::kTrumpsOver5) * std::max(0, count - 5) +
         Weight(Feature::kTrumpsOver7) * std::max(0, count - 7) +
         Weight(Feature::kTrumpsOver10) * std::max(0, count - 10);
  sum += Weight(Feature::kTwentyOne) * twenty_one + Weight(Feature::kExcuse) * excuse;
  sum += petit * (Weight(Feature::kPetit) + Weight(Feature::kPetitTrumps) * count +
                  Weight(Feature::kPetitTrumpsOver6) * std::max(0, count - 6));
  if (bouts == 2) sum += Weight(Feature::kTwoBouts);
  if (bouts == 3) sum += Weight(Feature::kThreeBouts);
  return sum + Weight(Feature::kBoutTrumps) * bouts * count;
}

int HandStrength::Margin(CardSet hand, int place) const {
  const std::uint64_t trumps = hand.trumps();
  // The table of high trumps counts at most twelve master trumps.
  if ((trumps >> kHighTrumpsFrom & (high_trumps_.size() - 1)) == high_trumps_.size() - 1) {
    return MarginOfHand(FeaturesOf(hand, place, playing_), playing_, false);
  }
  int sum = TrumpSum(trumps);
  int short_suits = 0;
  int over4 = 0;
  for (int suit = 0; suit < 4; ++suit) {
    const SuitPart& part = suits_[hand.suits() >> (rules::kSuitSize * suit) & kSuitBits];
    sum += part.sum;
    short_suits += part.short_suits;
    over4 += part.over4;
  }
  const int count = std::popcount(trumps & CardSet::AllTrumps().trumps());
  sum += Weight(Feature::kVoidTrumps) * short_suits * count;
  sum += Weight(Feature::kLongTrumps) * over4 * count;
  if (place == 0) sum += Weight(Feature::kFirstToLead);
  if (place == playing_ - 1) sum += Weight(Feature::kLastToPlay);
  return sum / 10;
}

}  // namespace tarot::ai
