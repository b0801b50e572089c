// The fit of the bidding: `tarot-lab fit bidding` reads the output of deal_samples.cc for three,
// four and five players and prints libs/ai/bid_weights.cc. The progress goes to stderr. Method:
//   1. Fit the taker's margin, by least squares, to the features of the hand and the mean of its
//      play-outs. There is one fit for a dog that is taken and one for an untouched dog.
//   2. Hold auctions over the deals. Each player bids either by a point count or for the best
//      expectation; chance decides. The score of an auction comes from the sampled ending of its
//      taker. Learn two things from the auctions: how earlier bids change the expected margin, and
//      the value of a pass. The players who bid for the best expectation use what was learned, so
//      this step runs several times.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "libs/ai/bid_model.h"
#include "libs/base/rng.h"
#include "libs/rules/scoring.h"
#include "tools/lab/fit/auction.h"
#include "tools/lab/fit/fit.h"
#include "tools/lab/fit/samples.h"

namespace tarot::ai {
namespace {

constexpr double kRidge = 5;
constexpr int kRounds = 4;
constexpr double kMarginMin = -60;
constexpr double kMarginMax = 60;
constexpr double kKnee = -20;
// The midpoints of sixteen equally likely parts of a normal distribution.
constexpr std::array<double, 16> kQuantiles{-1.86, -1.32, -1.01, -0.78, -0.58, -0.40, -0.24, -0.08,
                                            0.08,  0.24,  0.40,  0.58,  0.78,  1.01,  1.32,  1.86};

using Row = std::vector<double>;

Row RowOf(const Features& features) { return Row(features.begin(), features.end()); }

double Dot(const Row& weights, const Row& row) {
  double sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) sum += weights[i] * row[i];
  return sum;
}

struct MarginFit {
  Row margin;
  Row play_outs;
  double trust = 0;  // MarginWeights::trust / 1000.
  double half_trust = 0;
  double sd = 0;  // The standard deviation of the difference between the real margin and Mean().

  double Mean(const SampledHand& hand, std::size_t dog) const {
    const Row row = RowOf(hand.features);
    const double news = hand.play_outs[dog].mean - Dot(play_outs, row);
    return Dot(margin, row) + trust * kFitWorlds / (kFitWorlds + half_trust) * news;
  }
};

MarginFit FitMargin(const std::vector<SampledDeal>& deals, std::size_t dog) {
  LeastSquares margins(kFeatureCount);
  LeastSquares play_outs(kFeatureCount);
  std::vector<const SampledHand*> hands;
  for (const SampledDeal& deal : deals) {
    for (const SampledHand& hand : deal.hands) {
      if (!hand.known || !hand.endings[dog].known) continue;
      hands.push_back(&hand);
      margins.Add(RowOf(hand.features), hand.endings[dog].margin);
      play_outs.Add(RowOf(hand.features), hand.play_outs[dog].mean);
    }
  }
  MarginFit fit{.margin = margins.Solve(kRidge), .play_outs = play_outs.Solve(kRidge)};
  // `news` is a difference: the mean of a hand's play-outs, minus the mean that the features
  // predict. This code estimates how much of the variance of `news` is noise of the play-outs.
  double both = 0;
  double news_squared = 0;
  double chance = 0;
  for (const SampledHand* hand : hands) {
    const Row row = RowOf(hand->features);
    const double news = hand->play_outs[dog].mean - Dot(fit.play_outs, row);
    both += news * (hand->endings[dog].margin - Dot(fit.margin, row));
    news_squared += news * news;
    chance += hand->play_outs[dog].sd * hand->play_outs[dog].sd;
  }
  const auto count = static_cast<double>(hands.size());
  const double true_news = std::max(1.0, (news_squared - chance / kFitWorlds) / count);
  fit.half_trust = chance / count / true_news;
  fit.trust = both / news_squared * (kFitWorlds + fit.half_trust) / kFitWorlds;
  double squares = 0;
  for (const SampledHand* hand : hands) {
    squares += std::pow(hand->endings[dog].margin - fit.Mean(*hand, dog), 2);
  }
  fit.sd = std::sqrt(squares / count);
  std::fprintf(stderr, "  dog %zu: %.0f endings, sd left %.2f, trust %.2f of %.0f worlds\n", dog,
               count, fit.sd, fit.trust, fit.half_trust);
  return fit;
}

class AuctionFit {
 public:
  explicit AuctionFit(const std::vector<SampledDeal>& deals)
      : players_(static_cast<int>(deals.front().hands.size())),
        fits_{FitMargin(deals, 0), FitMargin(deals, 1)} {
    double points = 0;
    double count = 0;
    for (const SampledDeal& deal : deals) {
      for (const SampledHand& hand : deal.hands) {
        if (!hand.known || !hand.endings[1].known) continue;
        points += hand.endings[1].margin - hand.endings[2].margin;
        ++count;
      }
      if (deal.whole) deals_.push_back(&deal);
    }
    dog_margin_ = points / count;
    for (int round = 0; round < kRounds; ++round) {
      FitHistory();
      FitPass();
    }
    Tell();
  }

  void Print() const;

 private:
  static std::size_t Height(int highest) { return static_cast<std::size_t>(std::min(highest, 2)); }

  double Mean(const BiddingTurn& turn, int contract) const {
    const std::size_t dog = std::min<std::size_t>(DogOf(contract), 1);
    return fits_[dog].Mean(turn.hand(), dog) - (DogOf(contract) == 2 ? dog_margin_ : 0) +
           history_[Height(turn.highest)][static_cast<std::size_t>(turn.place)];
  }
  double Expectation(const BiddingTurn& turn, int contract) const;
  double PassValue(const BiddingTurn& turn) const {
    const double x = std::clamp(Mean(turn, 2), kMarginMin, kMarginMax);
    const auto& line = pass_[Height(turn.highest)][static_cast<std::size_t>(turn.left())];
    return line[0] + line[1] * x + line[2] * std::max(0.0, x - kKnee);
  }
  int BestBid(const BiddingTurn& turn) const {
    int best = 0;
    double value = PassValue(turn);
    for (int contract = 1; contract <= 4; ++contract) {
      if (!turn.Open(contract)) continue;
      const double other = Expectation(turn, contract);
      if (other > value) {
        value = other;
        best = contract;
      }
    }
    return best;
  }
  // Chooses a bidder for each place at random. The choice is always the same for the same deal.
  std::vector<const Bidder*> Population(const SampledDeal& deal) const {
    std::vector<const Bidder*> bidders;
    Rng rng(deal.number);
    for (int place = 0; place < players_; ++place) {
      bidders.push_back(rng.Below(2) == 0 ? &classic_ : &best_);
    }
    return bidders;
  }
  // Calls `tell` with every bid and every pass in the auctions of the players of Population().
  void ForMoments(const std::function<void(const BiddingTurn&, int)>& tell) const {
    for (const SampledDeal* deal : deals_) {
      const Auction auction = Bid(*deal, Population(*deal));
      int highest = 0;
      for (int place = 0; place < players_ && highest < 4; ++place) {
        const int bid = auction.bids[static_cast<std::size_t>(place)];
        tell(BiddingTurn{*deal, place, highest}, bid);
        highest = std::max(highest, bid);
      }
    }
  }
  void FitHistory();
  void FitPass();
  void Tell() const;
  void TellGain(const char* name, const Bidder& one, const Bidder& rest) const;

  const int players_;
  const std::array<MarginFit, 2> fits_;
  // The mean margin is lower by this number if the dog counts for the defence.
  double dog_margin_ = 0;
  std::vector<const SampledDeal*> deals_;
  std::array<std::array<double, 5>, 3> history_{};
  std::array<std::array<std::array<double, 3>, 5>, 3> pass_{};
  const Bidder classic_ = ClassicBidder;
  const Bidder best_ = [this](const BiddingTurn& turn) { return BestBid(turn); };
};

// Returns the expected score of the taker. Assumes that the margin has a normal distribution.
double AuctionFit::Expectation(const BiddingTurn& turn, int contract) const {
  const rules::RuleSet& rules = rules::FindRuleSet("fft")->rules;
  const double mean = Mean(turn, contract);
  const double sd = fits_[std::min<std::size_t>(DogOf(contract), 1)].sd;
  rules::ScoreInput input;
  input.players = players_;
  input.contract = static_cast<rules::Contract>(contract);
  input.has_partner = players_ == 5;
  double sum = 0;
  for (const double quantile : kQuantiles) {
    input.attack_half_points =
        2 * rules.threshold[0] + static_cast<int>(std::lround(mean + quantile * sd));
    sum += ComputeScore(rules, input).taker;
  }
  return sum / static_cast<double>(kQuantiles.size());
}

void AuctionFit::FitHistory() {
  constexpr double kHopeless = -30;
  // Each mean is computed with this number of extra hands whose value is 0. So the mean of only a
  // few hands stays near 0.
  constexpr double kDoubt = 50;
  std::array<std::array<double, 5>, 3> sums{};
  std::array<std::array<double, 5>, 3> counts{};
  ForMoments([&](const BiddingTurn& turn, int /*bid*/) {
    const auto& ending = turn.hand().endings[0];
    const double mean = fits_[0].Mean(turn.hand(), 0);
    if (!ending.known || mean < kHopeless) return;
    const std::size_t height = Height(turn.highest);
    sums[height][static_cast<std::size_t>(turn.place)] += ending.margin - mean;
    counts[height][static_cast<std::size_t>(turn.place)] += 1;
  });
  for (std::size_t height = 0; height < history_.size(); ++height) {
    for (std::size_t place = 0; place < 5; ++place) {
      history_[height][place] = sums[height][place] / (counts[height][place] + kDoubt);
    }
  }
}

void AuctionFit::FitPass() {
  // lines[5 * h + n] is the fit for a pass when n players bid later. h is the highest bid so far: 0
  // is no bid, 1 is Prise, 2 is a higher bid.
  std::vector<LeastSquares> lines(15, LeastSquares(3));
  ForMoments([&](const BiddingTurn& turn, int /*bid*/) {
    std::vector<const Bidder*> bidders = Population(turn.deal);
    const std::vector<int> scores = ScoresOf(turn.deal, Bid(turn.deal, bidders, turn.place, 0));
    const double x = std::clamp(Mean(turn, 2), kMarginMin, kMarginMax);
    lines[5 * Height(turn.highest) + static_cast<std::size_t>(turn.left())].Add(
        {1, x, std::max(0.0, x - kKnee)}, scores[static_cast<std::size_t>(turn.place)]);
  });
  for (std::size_t height = 0; height < pass_.size(); ++height) {
    for (std::size_t left = 0; left < 5; ++left) {
      // If all others passed and the last place passes too, the deal is passed out: the value is 0.
      if (height == 0 && left == 0) continue;
      const Row line = lines[5 * height + left].Solve(kRidge);
      std::copy(line.begin(), line.end(), pass_[height][left].begin());
    }
  }
}

void AuctionFit::TellGain(const char* name, const Bidder& one, const Bidder& rest) const {
  double sum = 0;
  double squares = 0;
  for (const SampledDeal* deal : deals_) {
    double points = 0;
    for (int place = 0; place < players_; ++place) {
      std::vector<const Bidder*> bidders(deal->hands.size(), &rest);
      bidders[static_cast<std::size_t>(place)] = &one;
      points += ScoresOf(*deal, Bid(*deal, bidders))[static_cast<std::size_t>(place)];
    }
    points /= players_;
    sum += points;
    squares += points * points;
  }
  const auto count = static_cast<double>(deals_.size());
  const double mean = sum / count;
  std::fprintf(stderr, "  %s: %+.2f +- %.2f points a deal\n", name, mean,
               1.96 * std::sqrt((squares / count - mean * mean) / count));
}

void AuctionFit::Tell() const {
  for (const auto& [name, bidder] :
       {std::pair{"point count", &classic_}, std::pair{"fit", &best_}}) {
    std::array<int, 5> contracts{};
    for (const SampledDeal* deal : deals_) {
      const std::vector<const Bidder*> all(deal->hands.size(), bidder);
      ++contracts[static_cast<std::size_t>(Bid(*deal, all).contract)];
    }
    std::fprintf(stderr, "  %s, in %zu deals: passed out %d, then %d %d %d %d\n", name,
                 deals_.size(), contracts[0], contracts[1], contracts[2], contracts[3],
                 contracts[4]);
  }
  TellGain("fit among point counts", best_, classic_);
  TellGain("point count among fits", classic_, best_);
}

template <typename List>
void PrintList(const List& list, double scale) {
  std::printf("{");
  bool first = true;
  for (const auto value : list) {
    std::printf("%s%ld", first ? "" : ", ", std::lround(value * scale));
    first = false;
  }
  std::printf("}");
}

template <typename Table>
void PrintTable(const Table& table, double scale) {
  std::printf("{{");
  for (const auto& row : table) {
    PrintList(row, scale);
    std::printf(", ");
  }
  std::printf("}}");
}

void AuctionFit::Print() const {
  std::printf("{.margin = {{");
  for (const MarginFit& fit : fits_) {
    std::printf("{.margin = ");
    PrintList(fit.margin, 1000);
    std::printf(", .play_outs = ");
    PrintList(fit.play_outs, 1000);
    std::printf(", .trust = %ld, .half_trust = %ld, .spread = %ld}, ",
                std::lround(fit.trust * 1000), std::lround(fit.half_trust),
                std::lround(fit.sd * 100));
  }
  std::printf("}}, .auction = {.history = ");
  PrintTable(history_, 100);
  std::printf(", .pass = {{");
  for (const auto& lines : pass_) {
    PrintTable(lines, 100);
    std::printf(", ");
  }
  std::printf("}}}},\n");
}

}  // namespace

bool FitBidding(std::istream& in) {
  const auto samples = ReadSamples(in);
  std::printf(
      "// Made by tools/lab/fit/fit_bidding.cc, which describes the method; docs/bots.md names the "
      "data.\n"
      "#include \"libs/ai/bid_model.h\"\n\nnamespace tarot::ai {\n\n"
      "const std::array<BidWeights, 3> kBidWeights{{\n");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].empty()) {
      std::fprintf(stderr, "no samples of %zu players\n", i + 3);
      return false;
    }
    std::fprintf(stderr, "%zu players\n", i + 3);
    AuctionFit(samples[i]).Print();
  }
  std::printf("}};\n\n}  // namespace tarot::ai\n");
  return true;
}

}  // namespace tarot::ai
