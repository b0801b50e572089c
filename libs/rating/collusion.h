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

// The result for a pair of players: how much each player, as a defender, helps the other player as
// the taker.
struct PairResult {
  int first = 0;  // The player with the lower number.
  int second = 0;
  // The number of deals in which one of these players was the taker and the other player defended.
  int deals = 0;
  // The credit per deal that the two players lose if one of them defends against the other. It is
  // the difference from what other deals of these players lead to expect (docs/collusion.md).
  double lost_credit = 0;
  // lost_credit divided by its standard error. For honest pairs, z has about a normal distribution
  // with mean 0 and standard deviation 1.
  double z = 0;
  bool flagged = false;
};

// The test leaves out pairs with fewer deals against each other than this number.
inline constexpr int kPairDealsMin = 20;

// Returns all tested pairs, the most suspicious pair first. The procedure of Benjamini and Hochberg
// decides how many pairs are flagged. Among the flagged pairs, the expected share of honest pairs
// is at most `false_share`.
std::vector<PairResult> TestPairs(absl::Span<const DefendedDeal> deals, double false_share);

}  // namespace tarot::rating
