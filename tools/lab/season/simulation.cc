#include "tools/lab/season/simulation.h"

#include <algorithm>
#include <numeric>

#include "libs/ai/arena.h"

namespace tarot::lab {
namespace {

// A match ends after this number of deals, even if too few deals were scored.
constexpr int kDealsMax = 60;

SeasonMatch PlayMatch(const std::vector<ai::ReplayBot>& population, std::vector<int> players,
                      const SeasonOptions& options, Rng& rng) {
  SeasonMatch match{.players = std::move(players)};
  std::vector<ai::ReplayBot> bots;
  for (const int player : match.players)
    bots.push_back(population[static_cast<std::size_t>(player)]);
  while (match.scored < options.scored_deals && static_cast<int>(match.deals.size()) < kDealsMax) {
    const rules::Deal dealt = ai::RandomDeal(rules::RuleSet(), options.player_count, rng);
    ai::Replayer table(dealt);
    const auto scores = table.Play(bots, rng);
    match.deals.push_back({.dealer = dealt.dealer,
                           .scores = {scores.begin(), scores.begin() + options.player_count},
                           .baseline = ai::ComputeBaseline(dealt, options.bid_shift)});
    const bool scored = std::any_of(scores.begin(), scores.end(), [](int s) { return s != 0; });
    if (scored) ++match.scored;
  }
  return match;
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

std::vector<SeasonMatch> PlaySeason(const std::vector<ai::ReplayBot>& population,
                                    const SeasonOptions& options) {
  std::vector<SeasonMatch> matches;
  Rng rng(options.seed);
  std::vector<int> order(population.size());
  std::iota(order.begin(), order.end(), 0);
  const auto n = static_cast<std::size_t>(options.player_count);
  for (int round = 0; round < options.rounds; ++round) {
    rng.Shuffle(order);
    for (std::size_t first = 0; first + n <= order.size(); first += n) {
      const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
      matches.push_back(PlayMatch(population, {begin, begin + options.player_count}, options, rng));
    }
  }
  return matches;
}

std::array<double, rules::kPlayersMax> PlaceMeans(int player_count, double bid_shift, int deals,
                                                  std::uint64_t seed) {
  std::array<double, rules::kPlayersMax> means{};
  Rng rng(seed);
  for (int i = 0; i < deals; ++i) {
    const rules::Deal dealt = ai::RandomDeal(rules::RuleSet(), player_count, rng);
    const ai::Baseline baseline = ai::ComputeBaseline(dealt, bid_shift);
    for (int seat = 0; seat < player_count; ++seat) {
      const int place = (seat - dealt.dealer - 1 + player_count) % player_count;
      means[static_cast<std::size_t>(place)] +=
          baseline.mean_scores[static_cast<std::size_t>(seat)] / deals;
    }
  }
  return means;
}

}  // namespace tarot::lab
