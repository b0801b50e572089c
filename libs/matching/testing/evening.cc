#include "libs/matching/testing/evening.h"

#include <algorithm>
#include <array>
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

// Time advances in steps. In each step, at most one player arrives.
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

Regulars SimulateRegulars(const RegularsOptions& options) {
  Rng rng(options.seed);
  struct Player {
    int rating = 0;
    // The create_time of the player's current ticket, or of the next ticket while the player pauses
    // between two matches.
    absl::Time join_time;
    std::array<std::uint32_t, kLastTables> last_tables{};
  };
  std::vector<Player> players(static_cast<std::size_t>(options.players));
  const auto pause = [&] { return options.pause_max * rng.Below(1001) / 1000; };
  for (Player& player : players) {
    player.rating = NormalRating(rng);
    player.join_time = absl::UnixEpoch() + pause();
  }
  Regulars regulars;
  std::uint32_t table_count = 0;
  double pairs = 0;
  const absl::Time end = absl::UnixEpoch() + options.length;
  for (absl::Time now = absl::UnixEpoch(); now < end; now += kWaveEvery) {
    std::vector<MatchTicket> waiting;
    for (std::size_t i = 0; i < players.size(); ++i) {
      if (players[i].join_time > now) continue;
      const auto number = static_cast<std::uint32_t>(i);
      waiting.push_back({.id = number,
                         .player = number,
                         .rating = players[i].rating,
                         .create_time = players[i].join_time,
                         .last_tables = players[i].last_tables});
    }
    const MatchWave wave = options.matcher(waiting, kSeats, now, absl::InfiniteDuration());
    for (const MatchedTable& table : wave.tables) {
      regulars.spreads.push_back(table.spread);
      ++table_count;
      for (const std::size_t i : table.tickets) {
        for (const std::size_t other : table.tickets) {
          if (i >= other) continue;
          const auto& a = waiting[i].last_tables;
          const auto& b = waiting[other].last_tables;
          ++pairs;
          regulars.met_last += a[0] != 0 && a[0] == b[0] ? 1 : 0;
          regulars.met_last_three +=
              std::any_of(a.begin(), a.end(),
                          [&](std::uint32_t last) {
                            return last != 0 && std::find(b.begin(), b.end(), last) != b.end();
                          })
                  ? 1
                  : 0;
        }
        Player& player = players[waiting[i].player];
        regulars.waits.push_back(absl::ToDoubleSeconds(now - player.join_time));
        player.join_time = now + options.match + pause();
        player.last_tables = {table_count, player.last_tables[0], player.last_tables[1]};
      }
    }
  }
  regulars.met_last /= pairs;
  regulars.met_last_three /= pairs;
  return regulars;
}

}  // namespace tarot::matching
