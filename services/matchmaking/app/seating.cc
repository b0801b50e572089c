#include "services/matchmaking/app/seating.h"

#include <algorithm>
#include <cstddef>

#include "libs/base/check.h"

namespace tarot::matchmaking_service {

std::vector<Bot> Fillers(absl::Span<const Bot> roster, std::size_t population_size) {
  roster.remove_prefix(std::min(population_size, roster.size()));
  std::vector<Bot> fillers(roster.begin(), roster.end());
  std::erase_if(fillers, [](const Bot& bot) { return !SitsWithPeople(bot.level); });
  return fillers;
}

void FillFromWaiting(const Queue& queue, absl::Span<const matching::MatchTicket> tickets,
                     absl::Time now, matching::MatchWave& wave) {
  if (queue.bot_fill_delay <= absl::ZeroDuration()) return;
  const auto oldest_age = [&] { return now - tickets[wave.waiting.front().ticket].create_time; };
  while (!wave.waiting.empty() && oldest_age() >= queue.bot_fill_delay) {
    const std::size_t people =
        std::min(wave.waiting.size(), static_cast<std::size_t>(queue.player_count));
    matching::MatchedTable table;
    int lowest = tickets[wave.waiting[0].ticket].rating, highest = lowest;
    for (std::size_t i = 0; i < people; ++i) {
      table.tickets.push_back(wave.waiting[i].ticket);
      lowest = std::min(lowest, tickets[table.tickets.back()].rating);
      highest = std::max(highest, tickets[table.tickets.back()].rating);
    }
    table.spread = highest - lowest;
    wave.waiting.erase(wave.waiting.begin(),
                       wave.waiting.begin() + static_cast<std::ptrdiff_t>(people));
    for (matching::WaitingTicket& left : wave.waiting) left.position -= static_cast<int>(people);
    wave.tables.push_back(std::move(table));
  }
}

PlannedTable PlanTable(const Queue& queue, absl::Span<const Ticket> tickets,
                       const matching::MatchedTable& table, absl::Span<const Bot> bots,
                       absl::Time now, Entropy& entropy) {
  PlannedTable planned{.id = TableId{entropy.NewUuid()},
                       .queue = queue.id,
                       .rating_spread = table.spread,
                       .create_time = now};
  for (const std::size_t i : table.tickets) {
    const Ticket& ticket = tickets[i];
    planned.seats.push_back({.player = ticket.player,
                             .display_name = ticket.display_name,
                             .bot_level = ticket.bot_level,
                             .ticket = ticket.id});
  }
  Rng rng(entropy.NewSeed());
  std::vector<Bot> fillers(bots.begin(), bots.end());
  rng.Shuffle(fillers);
  const auto seats = static_cast<std::size_t>(queue.player_count);
  TAROT_CHECK(fillers.size() >= seats - planned.seats.size());
  for (std::size_t i = 0; planned.seats.size() < seats; ++i) {
    planned.seats.push_back({.player = fillers[i].player,
                             .display_name = fillers[i].display_name,
                             .bot_level = fillers[i].level});
  }
  rng.Shuffle(planned.seats);
  return planned;
}

}  // namespace tarot::matchmaking_service
