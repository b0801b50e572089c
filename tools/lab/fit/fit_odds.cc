// The fit of the odds of bids: `tarot-lab fit odds` holds auctions over random deals and prints
// libs/ai/bid_odds.cc. Each seat bids in a way that is drawn at random: as `strong` with a small
// budget, as `sociable`, or by the point count that clubs teach. So the odds expect players of
// several kinds. The fit counts the bids at each margin of the hand, and a kernel smooths these
// counts. A small part of each chance ignores the hand, because some players bid in other ways.
#include <cmath>
#include <cstdio>

#include "libs/ai/arena.h"
#include "libs/ai/bid_belief.h"
#include "tools/lab/fit/fit.h"

namespace tarot::ai {
namespace {

using rules::Contract;

constexpr std::uint64_t kNodes = 8'000;  // The budget of one bid.
// The standard deviations of two kernels, in margin steps. The wide kernel gives values to margins
// with few hands.
constexpr double kNarrow = 0.7;
constexpr double kWide = 2.5;
constexpr double kUnknown = 0.03;  // The share of bids that say nothing about the hand.
constexpr double kDoubt = 4;       // The wide kernel's result counts as this many bids.

// The number of bids for each margin of the hand, smoothed by the narrow or by the wide kernel.
using Table = std::array<std::array<double, kBeliefMargins>, kContracts>;
struct Counts {
  Table narrow{};
  Table wide{};
};

// The first index is the highest bid before the turn; the second is BidTurn::last.
using AllCounts = std::array<std::array<Counts, 2>, 4>;

const Policy& RandomBidder(Rng& rng) {
  const int kind = rng.Below(4);
  return *FindOpponent(kind < 2 ? "strong" : kind == 2 ? "sociable" : "strong/classic");
}

void CountAuction(int players, std::uint64_t seed, AllCounts& counts) {
  Rng rng(seed);
  rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
  Contract highest = Contract::kPass;
  while (deal.phase == rules::Phase::kBidding) {
    const rules::View view = RememberedView(deal, deal.turn);
    const Policy& policy = RandomBidder(rng);
    const Contract bid =
        policy.Choose(view, Rng(rng.Next()), {.node_budget = kNodes}).action.contract;
    const int margin = HandStrength::For(players).Margin(view.hand, view.bid_count);
    const double at = static_cast<double>(margin - kBeliefMarginMin) / kBeliefMarginStep;
    Counts& here = counts[std::min<std::size_t>(static_cast<std::size_t>(highest), 3)]
                         [view.bid_count + 1 == players ? 1 : 0];
    for (int i = 0; i < kBeliefMargins; ++i) {
      const auto column = static_cast<std::size_t>(i);
      const auto row = static_cast<std::size_t>(bid);
      here.narrow[row][column] += std::exp(-std::pow((at - i) / kNarrow, 2) / 2);
      here.wide[row][column] += std::exp(-std::pow((at - i) / kWide, 2) / 2);
    }
    Apply(deal, deal.turn, rules::Action::Bid(bid));
    highest = std::max(highest, bid);
  }
}

// Returns the chance of each bid at each margin.
Table ChancesOf(const Counts& counts, int highest) {
  const auto legal = [&](std::size_t bid) { return bid == 0 || static_cast<int>(bid) > highest; };
  std::array<double, kContracts> overall{};
  double all = 0;
  for (std::size_t bid = 0; bid < kContracts; ++bid) {
    if (!legal(bid)) continue;
    overall[bid] = 1;
    for (const double count : counts.narrow[bid]) overall[bid] += count;
    all += overall[bid];
  }
  Table chances{};
  for (std::size_t i = 0; i < kBeliefMargins; ++i) {
    double narrow = kDoubt;
    double wide = kDoubt;
    for (std::size_t bid = 0; bid < kContracts; ++bid) {
      narrow += counts.narrow[bid][i];
      wide += counts.wide[bid][i];
    }
    for (std::size_t bid = 0; bid < kContracts; ++bid) {
      if (!legal(bid)) continue;
      const double blind = overall[bid] / all;
      const double about = (counts.wide[bid][i] + kDoubt * blind) / wide;
      const double share = (counts.narrow[bid][i] + kDoubt * about) / narrow;
      chances[bid][i] = (1 - kUnknown) * share + kUnknown * blind;
    }
  }
  return chances;
}

void PrintOdds(const Table& chances) {
  std::printf("{{");
  for (const auto& row : chances) {
    const char* before = "{";
    for (const double chance : row) {
      std::printf("%s%ld", before, chance > 0 ? std::lround(kLogUnit * std::log(chance)) : 0L);
      before = ", ";
    }
    std::printf("}, ");
  }
  std::printf("}}, ");
}

}  // namespace

void FitOdds(int deals, std::uint64_t seed) {
  std::printf(
      "// Made by tools/lab/fit/fit_odds.cc, which describes the method; docs/bots.md names the "
      "data.\n#include \"libs/ai/bid_belief.h\"\n\nnamespace tarot::ai {\n\n"
      "const std::array<std::array<std::array<BidOdds, 2>, 4>, 3> kBidOdds{{\n");
  for (int players = rules::kPlayersMin; players <= rules::kPlayersMax; ++players) {
    AllCounts counts{};
    for (int i = 0; i < deals; ++i) {
      CountAuction(players, seed + static_cast<std::uint64_t>(i), counts);
    }
    std::printf("{{");
    for (int highest = 0; highest < 4; ++highest) {
      std::printf("{{");
      for (const Counts& each : counts[static_cast<std::size_t>(highest)]) {
        PrintOdds(ChancesOf(each, highest));
      }
      std::printf("}}, ");
    }
    std::printf("}},\n");
  }
  std::printf("}};\n\n}  // namespace tarot::ai\n");
}

}  // namespace tarot::ai
