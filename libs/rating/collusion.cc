#include "libs/rating/collusion.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace tarot::rating {
namespace {

// If a credit is further than this many standard deviations from the mean credit of its defender,
// it counts as if it were exactly this far. So a few strange deals do not flag a pair.
constexpr double kClip = 3;
// TestPairs() repeats the test until two tests in a row flag the same pairs. It makes at most this
// many tests.
constexpr int kPassesMax = 5;

struct Sum {
  double count = 0;
  double sum = 0;
  double squares = 0;

  void Add(double x) {
    ++count;
    sum += x;
    squares += x * x;
  }
  Sum Without(const Sum& part) const {
    return {count - part.count, sum - part.sum, squares - part.squares};
  }
  double mean() const { return count > 0 ? sum / count : 0; }
  double variance() const {
    return count > 1 ? std::max(0.0, (squares - sum * sum / count) / (count - 1)) : 0;
  }
};

using Pair = std::pair<int, int>;

// Returns the pair with its lower number first.
Pair PairOf(int a, int b) { return std::minmax(a, b); }

// Sums of the credits of the defenders in all deals.
struct Sums {
  // The first three members leave out the credits of a defender against a taker if the test
  // suspects this pair. Such credits would make other pairs look as if they helped each other.
  std::vector<Sum> by_defender;
  std::vector<Sum> by_taker;
  Sum all;
  std::map<Pair, Sum> by_pair{};  // The key is the pair of the defender and the taker.
};

// Makes the Sums of the numbers that `credit` returns for each defender of each deal.
template <typename Credit>
Sums Collect(absl::Span<const DefendedDeal> deals, std::size_t players,
             const std::set<Pair>& suspects, Credit credit) {
  Sums sums{.by_defender = std::vector<Sum>(players),
            .by_taker = std::vector<Sum>(players),
            .all = Sum()};
  for (const DefendedDeal& deal : deals) {
    for (const DefendedDeal::Defender& defender : deal.defenders) {
      const double x = credit(defender);
      sums.by_pair[{defender.player, deal.taker}].Add(x);
      if (suspects.contains(PairOf(defender.player, deal.taker))) continue;
      sums.by_defender[static_cast<std::size_t>(defender.player)].Add(x);
      sums.by_taker[static_cast<std::size_t>(deal.taker)].Add(x);
      sums.all.Add(x);
    }
  }
  return sums;
}

// How much one player, as a defender, helps another player, the taker.
struct Help {
  double deals = 0;
  double lost_credit = 0;
  double z = 0;
};

// Compares the mean credit of `defender` against `taker` with two other means: the mean credit of
// this defender against other takers, and the mean credit of other defenders against this taker.
Help HelpOf(const Sums& sums, int defender, int taker, bool suspects) {
  const auto at = sums.by_pair.find({defender, taker});
  if (at == sums.by_pair.end()) return {};
  const Sum& pair = at->second;
  const Sum counted = suspects ? Sum() : pair;
  const Sum elsewhere = sums.by_defender[static_cast<std::size_t>(defender)].Without(counted);
  const Sum others = sums.by_taker[static_cast<std::size_t>(taker)].Without(counted);
  Help help{.deals = pair.count};
  if (elsewhere.count < 2 || others.count < 2) return help;
  help.lost_credit = elsewhere.mean() + others.mean() - sums.all.mean() - pair.mean();
  // A pair has few deals. So the variance of the pair's credits is estimated by the variance of all
  // credits of the defender.
  const double variance = sums.by_defender[static_cast<std::size_t>(defender)].variance();
  const double error =
      variance / pair.count + variance / elsewhere.count + others.variance() / others.count;
  help.z = error > 0 ? help.lost_credit / std::sqrt(error) : 0;
  return help;
}

// Returns the probability that a standard normal number is above `z`.
double UpperTail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

// Tests all pairs once. `suspects` are the pairs that the previous test flagged.
std::vector<PairResult> TestOnce(absl::Span<const DefendedDeal> deals, std::size_t players,
                                 const std::set<Pair>& suspects, double false_share) {
  const Sums raw = Collect(deals, players, suspects,
                           [](const DefendedDeal::Defender& defender) { return defender.credit; });
  const Sums sums = Collect(deals, players, suspects, [&](const DefendedDeal::Defender& defender) {
    const Sum& own = raw.by_defender[static_cast<std::size_t>(defender.player)];
    const double limit = kClip * std::sqrt(own.variance());
    return std::clamp(defender.credit - own.mean(), -limit, limit);
  });

  std::vector<PairResult> results;
  for (const auto& [players_of, sum] : sums.by_pair) {
    const Pair pair = PairOf(players_of.first, players_of.second);
    // If each of the two players has taken against the other, the map has the pair twice.
    if (players_of != pair && sums.by_pair.contains(pair)) continue;
    const bool suspected = suspects.contains(pair);
    const Help one = HelpOf(sums, pair.first, pair.second, suspected);
    const Help other = HelpOf(sums, pair.second, pair.first, suspected);
    const double count = one.deals + other.deals;
    if (count < kPairDealsMin) continue;
    results.push_back(
        {.first = pair.first,
         .second = pair.second,
         .deals = static_cast<int>(count),
         .lost_credit = (one.deals * one.lost_credit + other.deals * other.lost_credit) / count,
         .z =
             (std::sqrt(one.deals) * one.z + std::sqrt(other.deals) * other.z) / std::sqrt(count)});
  }
  std::sort(results.begin(), results.end(),
            [](const PairResult& a, const PairResult& b) { return a.z > b.z; });
  std::size_t flagged = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const double allowed =
        false_share * static_cast<double>(i + 1) / static_cast<double>(results.size());
    if (UpperTail(results[i].z) <= allowed) flagged = i + 1;
  }
  for (std::size_t i = 0; i < flagged; ++i) results[i].flagged = true;
  return results;
}

}  // namespace

std::vector<PairResult> TestPairs(absl::Span<const DefendedDeal> deals, double false_share) {
  int last = -1;
  for (const DefendedDeal& deal : deals) {
    last = std::max(last, deal.taker);
    for (const auto& defender : deal.defenders) last = std::max(last, defender.player);
  }
  const auto players = static_cast<std::size_t>(last + 1);
  std::set<Pair> suspects;
  std::vector<PairResult> results;
  for (int pass = 0; pass < kPassesMax; ++pass) {
    results = TestOnce(deals, players, suspects, false_share);
    std::set<Pair> flagged;
    for (const PairResult& result : results) {
      if (result.flagged) flagged.emplace(result.first, result.second);
    }
    if (flagged == suspects) break;
    suspects = std::move(flagged);
  }
  return results;
}

}  // namespace tarot::rating
