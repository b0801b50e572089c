// The worth of a hand in a contract and in defence, fitted to dealt, bid and played deals
// (tools/lab/fit). Whole numbers only, so the results are the same on every machine.
#pragma once

#include <array>

#include "libs/rules/view.h"

namespace tarot::ai {

// A hand as small whole numbers, each with its own weight in the fit. The first is always 1.
enum class Feature {
  kOne,
  // Trumps without the Excuse: how many, and how many above some counts.
  kTrumps,
  kTrumpsOver5,
  kTrumpsOver7,
  kTrumpsOver10,
  // The bouts, and the Petit with the trumps that guard it.
  kTwentyOne,
  kExcuse,
  kPetit,
  kPetitTrumps,
  kPetitTrumpsOver6,
  kTwoBouts,
  kThreeBouts,
  kBoutTrumps,  // Bouts times trumps.
  // High trumps, in descending importance.
  kTrump20,
  kTrump19,
  kTrump18,
  kTrump17,
  kTrumps14To16,
  kTrumps10To13,
  kMasterTrumps,  // 21, 20, 19 ... without a gap.
  // Suits.
  kKings,
  kQueensWithKing,
  kQueensGuarded,  // Without the King, in three cards or more.
  kQueensBare,
  kKnightsBacked,  // Beside King or Queen.
  kKnights,
  kJacks,
  kKingSuitLength,  // Cards beside a King.
  kVoids,
  kSingletons,
  kDoubletons,
  kLengthOver4,
  kLengthOver5,
  kVoidTrumps,  // Voids and singletons times trumps.
  kLongTrumps,  // kLengthOver4 times trumps.
  // The place in the order of play: the first leader knows least.
  kFirstToLead,
  kLastToPlay,
  kCount
};
inline constexpr std::size_t kFeatureCount = static_cast<std::size_t>(Feature::kCount);
using Features = std::array<int, kFeatureCount>;

// `hand` as dealt; `place` in the order of play, from 0; `playing` seats have cards.
Features FeaturesOf(rules::CardSet hand, int place, int playing);

// The weights for one number of players, separately for a dog that is taken and one that is not.
struct MarginWeights {
  // Thousandths of half points for each feature: `margin` predicts the attack's half points above
  // those that the rules ask for; `play_outs` predicts the result of heuristic play-outs.
  std::array<int, kFeatureCount> margin;
  std::array<int, kFeatureCount> play_outs;
  // How far play-outs that differ from their prediction move the margin, of 1000: `trust` for
  // infinitely many play-outs, half of it for `half_trust` play-outs.
  int trust = 0;
  int half_trust = 0;
  int spread = 0;  // Standard deviation of the error, in hundredths of half points.
};
struct AuctionWeights {
  // By the highest bid (none, Prise, Garde and above) and the place in the order of play: how the
  // bids so far change the margin of the next taker, in hundredths of half points.
  std::array<std::array<int, rules::kPlayersMax>, 3> history;
  // By the highest bid and the number of players still to speak: hundredths of points of a pass, as
  // a function of the margin: at 0; for each half point; additionally for each half point above
  // -20.
  std::array<std::array<std::array<int, 3>, rules::kPlayersMax>, 3> pass;
};
struct BidWeights {
  std::array<MarginWeights, 2> margin;
  AuctionWeights auction;
};

// By number of players, from three.
extern const std::array<BidWeights, 3> kBidWeights;

// Returns the expected margin of the seat as taker by the features alone, in hundredths of half
// points.
int MarginOfHand(const Features& features, int playing, bool untouched);

// The same, corrected by `count` play-outs with a mean of `mean` hundredths, and by the bids so far
// in `view`.
int ExpectedMargin(const rules::View& view, const Features& features, bool untouched, int mean,
                   int count);

// How real margins are spread around the expected one: equally likely differences, in hundredths of
// half points.
inline constexpr int kMarginSteps = 16;
std::array<int, kMarginSteps> MarginSpread(int playing, bool untouched);

// Returns the viewer's expected points after a pass, in hundredths, if taking with the dog would
// end with `margin` hundredths.
int PassPoints(const rules::View& view, int margin);

}  // namespace tarot::ai
