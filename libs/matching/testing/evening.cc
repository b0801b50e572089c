#include "libs/matching/testing/evening.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace tarot::matching {
namespace {

constexpr absl::Duration kStep = absl::Milliseconds(10);
constexpr absl::Duration kWaveEvery = absl::Seconds(2);
constexpr int kSeats = 4;

void Count(absl::Span<const MatchTicket> tickets, const MatchedTable& table, absl::Time now,
           absl::Duration block_wait, Evening& evening) {
  evening.spreads.push_back(table.spread);
  for (const std::size_t i : table.tickets) {
    const absl::Duration wait = now - tickets[i].create_time;
    evening.waits.push_back(absl::ToDoubleSeconds(wait));
    for (const std::size_t other : table.tickets) {
      if (i >= other || !BlockBetween(tickets[i], tickets[other])) continue;
      ++evening.blocks_met;
      if (std::min(wait, now - tickets[other].create_time) < block_wait) {
        evening.met_too_early = true;
      }
    }
  }
}

}  // namespace

// The sum of twelve uniform numbers from 0 to 1000 has mean 6000 and standard deviation 1000.
int NormalRating(Rng& rng) {
  int sum = 0;
  for (int i = 0; i < 12; ++i) sum += rng.Below(1001);
  return 1500 + (sum - 6000) * 300 / 1000;
}

// In a step, at most one player arrives.
Evening Simulate(const EveningOptions& options) {
  Rng rng(options.seed);
  Evening evening;
  std::vector<MatchTicket> waiting;
  std::deque<std::vector<std::uint32_t>> lists;  // The lists of blocks.
  std::uint32_t arrived = 0;
  // The chance of an arrival in one step, in millionths.
  const int chance = static_cast<int>(options.arrivals_per_second * 10'000);
  absl::Time now = absl::UnixEpoch();
  for (int step = 0; static_cast<int>(arrived) < options.players; ++step) {
    now += kStep;
    if (rng.Below(1'000'000) < chance) {
      ++arrived;
      waiting.push_back(
          {.id = arrived, .player = arrived, .rating = NormalRating(rng), .create_time = now});
      if (options.blocks && arrived % 10 == 0) {
        waiting.back().blocked = lists.emplace_back(std::vector{arrived - 1});
      }
    }
    if (step % (kWaveEvery / kStep) != 0) continue;
    const MatchWave wave = options.matcher(waiting, kSeats, now, options.block_wait);
    for (const MatchedTable& table : wave.tables) {
      Count(waiting, table, now, options.block_wait, evening);
    }
    std::vector<MatchTicket> left;
    for (const WaitingTicket& ticket : wave.waiting) left.push_back(waiting[ticket.ticket]);
    waiting = std::move(left);
  }
  return evening;
}

MatchWave FirstComeTables(absl::Span<const MatchTicket> tickets, int seats, absl::Time,
                          absl::Duration) {
  const auto size = static_cast<std::size_t>(seats);
  MatchWave wave;
  std::vector<std::size_t> by_age(tickets.size());
  for (std::size_t i = 0; i < by_age.size(); ++i) by_age[i] = i;
  std::sort(by_age.begin(), by_age.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(tickets[a].create_time, tickets[a].id) <
           std::pair(tickets[b].create_time, tickets[b].id);
  });
  std::size_t at = 0;
  for (; at + size <= by_age.size(); at += size) {
    MatchedTable& table = wave.tables.emplace_back();
    table.tickets.assign(by_age.begin() + static_cast<std::ptrdiff_t>(at),
                         by_age.begin() + static_cast<std::ptrdiff_t>(at + size));
    const auto [low, high] = std::minmax_element(
        table.tickets.begin(), table.tickets.end(),
        [&](std::size_t a, std::size_t b) { return tickets[a].rating < tickets[b].rating; });
    table.spread = tickets[*high].rating - tickets[*low].rating;
  }
  for (; at < by_age.size(); ++at) wave.waiting.push_back({.ticket = by_age[at]});
  return wave;
}

}  // namespace tarot::matching
