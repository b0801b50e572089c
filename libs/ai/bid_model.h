// Predicts how good a hand is for a taker and for a defender. The weights were fitted to deals that
// bots bid and played (tools/lab/fit). The code uses whole numbers only, so the results are the
// same on every machine.
#pragma once

#include <array>

#include "libs/rules/view.h"

namespace tarot::ai {

// The features of a hand are small whole numbers. Each feature has its own weight in the fit. The
// first feature is always 1.
enum class Feature {
  kOne,
  // The number of trumps without the Excuse. The next three features are max(0, number - 5), max(0,
  // number - 7) and max(0, number - 10).
  kTrumps,
  kTrumpsOver5,
  kTrumpsOver7,
  kTrumpsOver10,
  // The next features describe the bouts and the trumps that protect the Petit.
  kTwentyOne,
  kExcuse,
  kPetit,
  kPetitTrumps,
  kPetitTrumpsOver6,
  kTwoBouts,
  kThreeBouts,
  kBoutTrumps,  // The number of bouts times the number of trumps.
  // The next features describe the high trumps, the most important trump first.
  kTrump20,
  kTrump19,
  kTrump18,
  kTrump17,
  kTrumps14To16,
  kTrumps10To13,
  kMasterTrumps,  // The length of the sequence 21, 20, 19, ... in the hand.
  // The next features describe the suits.
  kKings,
  kQueensWithKing,
  kQueensGuarded,  // The number of Queens whose suit has at least three cards and no King.
  kQueensBare,
  kKnightsBacked,  // The number of Knights with the King or the Queen of their suit.
  kKnights,
  kJacks,
  // The number of cards besides the Kings in the suits where the hand has the King.
  kKingSuitLength,
  kVoids,
  kSingletons,
  kDoubletons,
  kLengthOver4,
  kLengthOver5,
  kVoidTrumps,  // (2 * voids + singletons) times the number of trumps.
  kLongTrumps,  // kLengthOver4 times the number of trumps.
  // The next two features say whether the seat plays first or last to the first trick. A seat that
  // plays first has not yet seen a card of another seat.
  kFirstToLead,
  kLastToPlay,
  kCount
};
inline constexpr std::size_t kFeatureCount = static_cast<std::size_t>(Feature::kCount);
using Features = std::array<int, kFeatureCount>;

// Computes the features of `hand`, which must be a hand as dealt. `place` is the place of its seat
// in the order of play, from 0. `playing` is the number of seats that have cards.
Features FeaturesOf(rules::CardSet hand, int place, int playing);

// The weights for one number of players and one kind of contract. BidWeights::margin[0] is for
// contracts in which the taker takes the dog. BidWeights::margin[1] is for contracts in which the
// dog stays unseen.
struct MarginWeights {
  // The weights of the features, in thousandths of half points. The weights `margin` predict how
  // many half points the attack gets above its threshold. The weights `play_outs` predict the mean
  // margin of play-outs by the heuristic.
  std::array<int, kFeatureCount> margin;
  std::array<int, kFeatureCount> play_outs;
  // Let d be the mean margin of `count` play-outs minus the prediction `play_outs`. The model adds
  // d * trust / 1000 * count / (count + half_trust) to the prediction `margin`.
  int trust = 0;
  int half_trust = 0;
  // The standard deviation of the prediction error (real margin minus predicted margin), in
  // hundredths of half points.
  int spread = 0;
};
struct AuctionWeights {
  // history[h][p] is added to the margin that a seat can expect as taker, in hundredths of half
  // points. h is the highest bid before the seat bids: 0 for none, 1 for Prise, 2 for Garde or
  // more. p is the place of the seat in the order of play, from 0.
  std::array<std::array<int, rules::kPlayersMax>, 3> history;
  // The expected points of a pass. Let m be the margin, in half points, that the seat could expect
  // as taker. pass[h][n] = {a, b, c} means (a + b * m + c * max(0, m + 20)) / 100 points. h is the
  // highest bid so far: 0 for none, 1 for Prise, 2 for Garde or more. n is the number of players
  // who bid after this seat.
  std::array<std::array<std::array<int, 3>, rules::kPlayersMax>, 3> pass;
};
struct BidWeights {
  std::array<MarginWeights, 2> margin;
  AuctionWeights auction;
};

// The weights by number of players. Index 0 is for three players.
extern const std::array<BidWeights, 3> kBidWeights;

// Returns the margin that a seat can expect as taker, in hundredths of half points. Uses the
// features alone, without play-outs and bids. `untouched` is true if the dog stays unseen.
int MarginOfHand(const Features& features, int playing, bool untouched);

// Returns the margin that the viewer can expect as taker, in hundredths of half points. Uses the
// features, the bids so far in `view`, and `count` play-outs. The mean margin of these play-outs is
// `mean`.
int ExpectedMargin(const rules::View& view, const Features& features, bool untouched, int mean,
                   int count);

// MarginSpread() returns sixteen equally likely values of the real margin minus the expected
// margin, in hundredths of half points.
inline constexpr int kMarginSteps = 16;
std::array<int, kMarginSteps> MarginSpread(int playing, bool untouched);

// Returns the viewer's expected points after a pass, in hundredths of a point. `margin` is the
// margin that the viewer would expect as a taker who takes the dog, in hundredths of half points.
int PassPoints(const rules::View& view, int margin);

}  // namespace tarot::ai
