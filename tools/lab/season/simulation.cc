#include "tools/lab/season/simulation.h"

#include <algorithm>
#include <numeric>

#include "libs/ai/arena.h"
#include "libs/ai/luck/baseline.h"

namespace tarot::lab {
namespace {

// A match ends after this number of deals, even if fewer than SeasonOptions::scored_deals were
// scored.
constexpr int kDealsMax = 60;

// Plays one match and adds its deals to `deals`.
rating::PlayedMatch PlayMatch(const std::vector<ai::ReplayBot>& population,
                              std::vector<int> players, const SeasonOptions& options, Rng& rng,
                              std::vector<ai::LuckSample>& deals) {
  rating::PlayedMatch match{.players = std::move(players)};
  std::vector<ai::ReplayBot> bots;
  for (const int player : match.players)
    bots.push_back(population[static_cast<std::size_t>(player)]);
  while (match.scored < options.scored_deals && static_cast<int>(match.deals.size()) < kDealsMax) {
    const rules::Deal dealt = ai::RandomDeal(rules::RuleSet(), options.player_count, rng);
    ai::Replayer table(dealt);
    const auto scores = table.Play(bots, rng);
    match.deals.push_back({.dealer = dealt.dealer,
                           .scores = {scores.begin(), scores.begin() + options.player_count}});
    deals.push_back({.dealer = dealt.dealer,
                     .hands = dealt.dealt,
                     .dog = dealt.dog,
                     .scores = match.deals.back().scores});
    const bool scored = std::any_of(scores.begin(), scores.end(), [](int s) { return s != 0; });
    if (scored) ++match.scored;
  }
  return match;
}

// Calls `play` with the players of each match of a season.
template <typename Play>
void ForEachTable(int population, const SeasonOptions& options, Rng& rng, Play play) {
  std::vector<int> order(static_cast<std::size_t>(population));
  std::iota(order.begin(), order.end(), 0);
  const auto n = static_cast<std::size_t>(options.player_count);
  for (int round = 0; round < options.rounds; ++round) {
    rng.Shuffle(order);
    for (std::size_t first = 0; first + n <= order.size(); first += n) {
      const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
      play(std::vector<int>{begin, begin + options.player_count});
    }
  }
}

}  // namespace

std::vector<ai::ReplayBot> Population(int size, std::uint64_t seed) {
  std::vector<ai::ReplayBot> bots;
  Rng rng(seed);
  for (int i = 0; i < size; ++i) {
    ai::ReplayBot bot;
    bot.random_cards = rng.Below(301);
    bot.bid_shift = 6 * std::clamp(ai::NearlyNormal(rng), -3.0, 3.0);
    bot.bid_noise = rng.Below(7);
    bots.push_back(bot);
  }
  return bots;
}

Season PlaySeason(const std::vector<ai::ReplayBot>& population, const SeasonOptions& options) {
  Season season;
  Rng rng(options.seed);
  ForEachTable(static_cast<int>(population.size()), options, rng, [&](std::vector<int> players) {
    season.matches.push_back(PlayMatch(population, std::move(players), options, rng, season.deals));
  });
  return season;
}

void AddBaselines(double bid_shift, Season& season) {
  std::size_t next = 0;
  for (rating::PlayedMatch& match : season.matches) {
    for (rating::PlayedDeal& deal : match.deals) {
      const ai::Baseline baseline =
          ai::ComputeBaseline(season.deals[next++].Dealt(rules::RuleSet()), bid_shift);
      const auto means = baseline.mean_scores.begin();
      deal.mean_scores.assign(means, means + static_cast<std::ptrdiff_t>(deal.scores.size()));
      deal.deviation = baseline.deviation;
    }
  }
}

std::vector<double> TrueSkills(const std::vector<ai::ReplayBot>& population, SeasonOptions options,
                               int rounds) {
  options.rounds = rounds;
  std::vector<double> sums(population.size(), 0);
  std::vector<double> counts(population.size(), 0);
  Rng rng(options.seed);
  ForEachTable(static_cast<int>(population.size()), options, rng, [&](std::vector<int> players) {
    std::vector<ai::LuckSample> deals;
    const rating::PlayedMatch match =
        PlayMatch(population, std::move(players), options, rng, deals);
    const std::vector<double> points = rating::PointsOfMatch(match);
    for (std::size_t seat = 0; seat < points.size(); ++seat) {
      const auto player = static_cast<std::size_t>(match.players[seat]);
      sums[player] += points[seat] * match.scored;
      counts[player] += match.scored;
    }
  });
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] /= std::max(counts[i], 1.0);
  return sums;
}

}  // namespace tarot::lab
