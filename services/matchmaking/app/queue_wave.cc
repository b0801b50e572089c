#include "services/matchmaking/app/queue_wave.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "services/matchmaking/app/casual_tables.h"
#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {
namespace {

// Gives each region of the tickets a number, from 1, and fills in the round trips. If the matcher
// has no number left for a region, this region counts as unknown.
void AddRegions(const std::vector<Ticket>& tickets, absl::Span<const RoundTrip> round_trips,
                MatcherInput& input) {
  absl::flat_hash_map<std::string, std::uint8_t> numbers;
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    if (tickets[i].region.empty()) continue;
    const std::size_t next = numbers.size() + 1;
    const bool free = next <= std::numeric_limits<std::uint8_t>::max();
    const auto known =
        free ? numbers.try_emplace(tickets[i].region, static_cast<std::uint8_t>(next)).first
             : numbers.find(tickets[i].region);
    if (known != numbers.end()) input.tickets[i].region = known->second;
  }
  const auto highest = static_cast<int>(numbers.size());
  if (highest < 2) return;
  input.round_trips = matching::RoundTrips(numbers.size());
  for (int a = 1; a <= highest; ++a) {
    for (int b = a + 1; b <= highest; ++b) {
      input.round_trips.Set(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b),
                            kRoundTripDefaultMs);
    }
  }
  for (const RoundTrip& trip : round_trips) {
    const auto a = numbers.find(trip.region), b = numbers.find(trip.other_region);
    if (a == numbers.end() || b == numbers.end()) continue;
    input.round_trips.Set(a->second, b->second, trip.milliseconds);
  }
}

// Converts the tickets for the matcher. A player has one ticket in a queue, so the index of a
// ticket in `tickets` is the number of the ticket and of its player.
MatcherInput ForMatcher(const Queue& queue, const std::vector<Ticket>& tickets,
                        const RatingBook& book, const BlockLists& blocks,
                        absl::Span<const RoundTrip> round_trips) {
  MatcherInput input;
  // networks[network] is the number of this network. Numbers begin at 1.
  absl::flat_hash_map<std::string, std::uint32_t> networks;
  absl::flat_hash_map<PlayerId, std::uint32_t> numbers;
  // tables[id] is the number of a recent table. Numbers begin at 1.
  absl::flat_hash_map<TableId, std::uint32_t> tables;
  for (const Ticket& ticket : tickets) {
    const auto number = static_cast<std::uint32_t>(input.tickets.size());
    if (!blocks.empty()) numbers[ticket.player] = number;
    static_assert(kLastTables == matching::kLastTables);
    std::array<std::uint32_t, kLastTables> last_tables{};
    for (std::size_t i = 0; i < kLastTables; ++i) {
      const TableId& table = ticket.last_tables[i];
      if (table.empty()) continue;
      const auto next = static_cast<std::uint32_t>(tables.size() + 1);
      last_tables[i] = tables.try_emplace(table, next).first->second;
    }
    input.tickets.push_back({.id = number,
                             .player = number,
                             .rating = book.Of(ticket.player, queue.player_count),
                             .create_time = ticket.create_time,
                             .bot = !ticket.bot_level.empty(),
                             .bots_only = !SitsWithPeople(ticket.bot_level),
                             .last_tables = last_tables});
    if (queue.terms.ranked && !ticket.network.empty()) {
      const auto next = static_cast<std::uint32_t>(networks.size() + 1);
      input.tickets.back().network = networks.try_emplace(ticket.network, next).first->second;
    }
  }
  // The blocked players of ticket i end before the index ends[i] of `input.blocked`.
  std::vector<std::size_t> ends;
  for (const Ticket& ticket : tickets) {
    const std::size_t begin = input.blocked.size();
    if (const auto blocked = blocks.find(ticket.player); blocked != blocks.end()) {
      for (const PlayerId& player : blocked->second) {
        const auto number = numbers.find(player);
        if (number != numbers.end()) input.blocked.push_back(number->second);
      }
      std::sort(input.blocked.begin() + static_cast<std::ptrdiff_t>(begin), input.blocked.end());
    }
    ends.push_back(input.blocked.size());
  }
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    input.tickets[i].blocked = absl::MakeConstSpan(input.blocked).subspan(begin, ends[i] - begin);
  }
  AddRegions(tickets, round_trips, input);
  return input;
}

}  // namespace

std::vector<PlayerId> RatingBook::Missing(absl::Span<const Ticket> tickets,
                                          int player_count) const {
  std::vector<PlayerId> missing;
  for (const Ticket& ticket : tickets) {
    if (!asked_.contains(ticket.id) || !known_.contains({ticket.player, player_count})) {
      missing.push_back(ticket.player);
    }
  }
  return missing;
}

void RatingBook::Learn(absl::Span<const Ticket> tickets, const Ratings& ratings, int player_count) {
  if (known_.size() > kRatingsKnownMax || asked_.size() > kRatingsKnownMax) {
    known_.clear();
    asked_.clear();
  }
  for (const auto& [player, rating] : ratings) known_[{player, player_count}] = rating;
  for (const Ticket& ticket : tickets) {
    if (ratings.contains(ticket.player)) asked_.insert(ticket.id);
  }
}

int RatingBook::Of(PlayerId player, int player_count) const {
  const auto found = known_.find({player, player_count});
  return found == known_.end() ? kPriorRating : found->second;
}

QueueWave::QueueWave(Queue queue, std::vector<Ticket> tickets, const RatingBook& book,
                     const BlockLists& blocks, absl::Span<const RoundTrip> round_trips,
                     absl::Time now)
    : queue_(std::move(queue)),
      time_(now),
      tickets_(std::move(tickets)),
      input_(ForMatcher(queue_, tickets_, book, blocks, round_trips)),
      result_(queue_.terms.ranked
                  ? matching::MakeTables(input_.tickets, queue_.player_count, now, kBlockWait,
                                         input_.round_trips)
                  : MakeCasualTables(queue_, tickets_, input_.tickets, now, input_.round_trips)) {}

std::vector<matching::Obstacle> QueueWave::Explain(std::size_t ticket) const {
  const std::vector<matching::Obstacle> of_all =
      queue_.terms.ranked
          ? matching::Explain(input_.tickets, queue_.player_count, time_, kBlockWait, ticket,
                              input_.round_trips)
          : ExplainCasual(queue_, tickets_, input_.tickets, time_, ticket, input_.round_trips);
  std::vector<matching::Obstacle> of_waiting;
  for (const matching::WaitingTicket& waiting : result_.waiting) {
    of_waiting.push_back(of_all[waiting.ticket]);
  }
  return of_waiting;
}

}  // namespace tarot::matchmaking_service
