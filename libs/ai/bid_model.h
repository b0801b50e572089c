// Predicts the worth of a hand in a contract and in defence. The weights were fitted to deals that
// bots dealt, bid and played (tools/lab/fit). The code uses whole numbers only, so the results are
// the same on every machine.
#pragma once

#include <array>

#include "libs/rules/view.h"

namespace tarot::ai {

// The features of a hand: small whole numbers, each with its own weight in the fit. The first one
// is always 1.
enum class Feature {
  kOne,
  // The number of trumps without the Excuse, and its excess over each of some limits.
  kTrumps,
  kTrumpsOver5,
  kTrumpsOver7,
  kTrumpsOver10,
  // The bouts, and the trumps that guard the Petit.
  kTwentyOne,
  kExcuse,
  kPetit,
  kPetitTrumps,
  kPetitTrumpsOver6,
  kTwoBouts,
  kThreeBouts,
  kBoutTrumps,  // Number of bouts times number of trumps.
  // The next features are the high trumps, in descending importance.
  kTrump20,
  kTrump19,
  kTrump18,
  kTrump17,
  kTrumps14To16,
  kTrumps10To13,
  kMasterTrumps,  // The length of the unbroken sequence 21, 20, 19, ...
  // The next features describe the suits.
  kKings,
  kQueensWithKing,
  kQueensGuarded,  // Queens without the King of their suit, with at least three cards.
  kQueensBare,
  kKnightsBacked,  // Knights beside a King or Queen of their suit.
  kKnights,
  kJacks,
  kKingSuitLength,  // Number of cards beside a King.
  kVoids,
  kSingletons,
  kDoubletons,
  kLengthOver4,
  kLengthOver5,
  kVoidTrumps,  // Number of voids and singletons times number of trumps.
  kLongTrumps,  // kLengthOver4 times number of trumps.
  // The place in the order of play. The first leader knows least.
  kFirstToLead,
  kLastToPlay,
  kCount
};
inline constexpr std::size_t kFeatureCount = static_cast<std::size_t>(Feature::kCount);
using Features = std::array<int, kFeatureCount>;

// Computes the features. `hand` is the hand as dealt, `place` the place in the order of play, from
// 0, and `playing` the number of seats that have cards.
Features FeaturesOf(rules::CardSet hand, int place, int playing);

// The weights for one number of players. There is one set for a dog that the taker takes and one
// for a dog that stays unseen.
struct MarginWeights {
  // The weights of the features, in thousandths of half points. `margin` predicts how many half
  // points the attack gets above its threshold; `play_outs` predicts the result of heuristic
  // play-outs.
  std::array<int, kFeatureCount> margin;
  std::array<int, kFeatureCount> play_outs;
  // Play-outs may differ from their prediction. These factors say which part of the difference is
  // added to the margin, in thousandths: `trust` after infinitely many play-outs, and half of
  // `trust` after `half_trust` play-outs.
  int trust = 0;
  int half_trust = 0;
  int spread = 0;  // The standard deviation of the error, in hundredths of half points.
};
struct AuctionWeights {
  // Says how the bids so far change the margin of the next taker, in hundredths of half points. The
  // indices are the highest bid (none, Prise, Garde or more) and the place in the order of play.
  std::array<std::array<int, rules::kPlayersMax>, 3> history;
  // The points of a pass, in hundredths, as a function of the margin. The indices are the highest
  // bid and the number of players still to speak. The three values are the points at margin 0, the
  // change for each half point, and the additional change for each half point above -20.
  std::array<std::array<std::array<int, 3>, rules::kPlayersMax>, 3> pass;
};
struct BidWeights {
  std::array<MarginWeights, 2> margin;
  AuctionWeights auction;
};

// Indexed by number of players, from three.
extern const std::array<BidWeights, 3> kBidWeights;

// Returns the margin that the seat can expect as taker, in hundredths of half points. It uses the
// features alone.
int MarginOfHand(const Features& features, int playing, bool untouched);

// Returns the margin that the viewer can expect as taker, in hundredths of half points. It uses the
// features, the mean `mean` of `count` play-outs, and the bids so far in `view`.
int ExpectedMargin(const rules::View& view, const Features& features, bool untouched, int mean,
                   int count);

// Describes how real margins are spread around the expected one: equally likely differences, in
// hundredths of half points.
inline constexpr int kMarginSteps = 16;
std::array<int, kMarginSteps> MarginSpread(int playing, bool untouched);

// Returns the viewer's expected points after a pass, in hundredths. `margin` is the margin, in
// hundredths of half points, that the viewer would expect as a taker who takes the dog.
int PassPoints(const rules::View& view, int margin);

}  // namespace tarot::ai
