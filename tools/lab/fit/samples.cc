#include "tools/lab/fit/samples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>

#include "libs/rules/parameters/rule_set.h"

namespace tarot::ai {
namespace {

void ReadHand(std::istream& line, SampledHand& hand) {
  line >> hand.classic[0] >> hand.classic[1];
  for (int& feature : hand.features) line >> feature;
  for (SampledHand::PlayOuts& play_outs : hand.play_outs) {
    line >> play_outs.mean >> play_outs.sd;
    play_outs.mean /= 100;
    play_outs.sd /= 100;
  }
  hand.known = !line.fail();
}

void ReadEnding(std::istream& line, SampledHand& hand) {
  std::size_t dog = 0;
  int half_points = 0;
  std::size_t bouts = 0;
  SampledHand::Ending ending;
  line >> dog >> half_points >> bouts >> ending.petit_au_bout >> ending.slam >> ending.handful >>
      ending.partner;
  if (line.fail() || dog >= hand.endings.size() || bouts > 3) return;
  ending.known = true;
  ending.margin = half_points - 2 * rules::RuleSet().threshold[bouts];
  hand.endings[dog] = ending;
}

}  // namespace

std::array<std::vector<SampledDeal>, 3> ReadSamples(std::istream& in) {
  std::array<std::map<std::uint64_t, SampledDeal>, 3> deals;
  std::string text;
  while (std::getline(in, text)) {
    std::istringstream line(text);
    char kind = 0;
    std::size_t players = 0;
    std::uint64_t number = 0;
    std::size_t place = 0;
    line >> kind >> players >> number >> place;
    if (line.fail() || players < 3 || players > 5 || place >= players) continue;
    SampledDeal& deal = deals[players - 3][number];
    deal.number = number;
    deal.hands.resize(players);
    (kind == 'T' ? ReadEnding : ReadHand)(line, deal.hands[place]);
    if (kind == 'N') deal.whole = false;
  }
  std::array<std::vector<SampledDeal>, 3> lists;
  for (std::size_t i = 0; i < deals.size(); ++i) {
    for (auto& [number, deal] : deals[i]) {
      deal.whole &= std::all_of(deal.hands.begin(), deal.hands.end(),
                                [](const SampledHand& hand) { return hand.known; });
      lists[i].push_back(std::move(deal));
    }
  }
  return lists;
}

void LeastSquares::Add(const std::vector<double>& row, double target) {
  for (std::size_t i = 0; i < columns_; ++i) {
    products_[i] += row[i] * target;
    for (std::size_t j = 0; j < columns_; ++j) squares_[i * columns_ + j] += row[i] * row[j];
  }
}

std::vector<double> LeastSquares::Solve(double ridge) const {
  // This is the Cholesky decomposition: squares + ridge = L * L^T.
  std::vector<double> lower = squares_;
  for (std::size_t i = 0; i < columns_; ++i) lower[i * columns_ + i] += ridge;
  for (std::size_t j = 0; j < columns_; ++j) {
    for (std::size_t i = j; i < columns_; ++i) {
      double sum = lower[i * columns_ + j];
      for (std::size_t k = 0; k < j; ++k) sum -= lower[i * columns_ + k] * lower[j * columns_ + k];
      lower[i * columns_ + j] = i == j ? std::sqrt(sum) : sum / lower[j * columns_ + j];
    }
  }
  std::vector<double> x = products_;
  for (std::size_t i = 0; i < columns_; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= lower[i * columns_ + k] * x[k];
    x[i] /= lower[i * columns_ + i];
  }
  for (std::size_t i = columns_; i-- > 0;) {
    for (std::size_t k = i + 1; k < columns_; ++k) x[i] -= lower[k * columns_ + i] * x[k];
    x[i] /= lower[i * columns_ + i];
  }
  return x;
}

}  // namespace tarot::ai
