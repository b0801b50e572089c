// What a hand is worth in a contract and in defence: fitted to dealt, bid and played deals
// (tools/lab/fit). Whole numbers only: the same on every machine.
#pragma once

#include "libs/ai/bid_features.h"
#include "libs/rules/view.h"

namespace tarot::ai {

// The weights for one number of players, once by whether the dog is taken or stays untouched.
struct MarginWeights {
  // Thousandths of half points for each feature: what the attack ends with beyond what the rules
  // ask of it, and what play-outs by rules of thumb say of that.
  std::array<int, kFeatureCount> margin;
  std::array<int, kFeatureCount> play_outs;
  int trust = 0;       // In endlessly many play-outs where they differ from their own fit, of 1000.
  int half_trust = 0;  // Play-outs that are trusted half as much.
  int spread = 0;      // Standard deviation of what is left, in hundredths of half points.
};
struct AuctionWeights {
  // By the highest bid (none, Prise, Garde and above) and the place in the order of play:
  // hundredths of half points that the bids before mean for the one who takes.
  std::array<std::array<int, rules::kPlayersMax>, 3> history;
  // By the highest bid and the players still to speak, hundredths of points of a pass by margin:
  // at 0, for each half point, and besides for each half point above -20.
  std::array<std::array<std::array<int, 3>, rules::kPlayersMax>, 3> pass;
};
struct BidWeights {
  std::array<MarginWeights, 2> margin;
  AuctionWeights auction;
};

// What one who sits at `place` would end with as the taker, by the features alone, in hundredths of
// half points.
int MarginOfHand(const Features& features, int playing, bool untouched);

// The same, in the light of `count` play-outs that end with `mean` hundredths on average, and of
// the bids before in `view`.
int ExpectedMargin(const rules::View& view, const Features& features, bool untouched, int mean,
                   int count);

// How such margins are spread around what is expected: equally likely differences in hundredths of
// half points.
inline constexpr int kMarginSteps = 16;
std::array<int, kMarginSteps> MarginSpread(int playing, bool untouched);

// The viewer's expectation after a pass, in hundredths of points, when taking with the dog would
// end with `margin` hundredths.
int PassPoints(const rules::View& view, int margin);

}  // namespace tarot::ai
