#include "libs/ai/bid_features.h"

#include <algorithm>

namespace tarot::ai {
namespace {

using rules::CardSet;
using rules::Suit;

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

}  // namespace

Features FeaturesOf(CardSet hand, int place, int playing) {
  return Counter(hand, place, playing).features();
}

}  // namespace tarot::ai
