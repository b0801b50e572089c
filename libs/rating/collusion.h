// Finds pairs of players who help each other (docs/collusion.md). The code is pure.
#pragma once

#include <vector>

#include "absl/types/span.h"

namespace tarot::rating {

// One deal of a table. Players are numbers from 0.
struct DefendedDeal {
  struct Defender {
    int player = 0;
    double credit = 0;  // ai::DefenceCredits::credits
  };
  int taker = 0;
  std::vector<Defender> defenders;
};

// The result for two players. It says how much each of them, as a defender, helps the other one,
// the taker.
struct PairResult {
  int first = 0;  // The lower number.
  int second = 0;
  int deals = 0;  // Number of deals in which one of these players took and the other one defended.
  // The credit per deal that the two players lose as defenders against each other, compared with
  // other deals of these players.
  double lost_credit = 0;
  // lost_credit divided by its standard error. For honest pairs, z is about normally distributed
  // with mean 0 and standard deviation 1.
  double z = 0;
  bool flagged = false;
};

// A pair with fewer deals against each other is not tested.
inline constexpr int kPairDealsMin = 20;

// Returns all tested pairs, the most suspicious first. The procedure of Benjamini and Hochberg
// decides how many of them are flagged. Among the flagged pairs, the expected share of honest pairs
// is at most `false_share`.
std::vector<PairResult> TestPairs(absl::Span<const DefendedDeal> deals, double false_share);

}  // namespace tarot::rating
