// Declares the wave of one queue. The wave says which tickets get tables, why the other tickets
// wait, and which obstacle keeps two tickets from one table. The file also declares the ratings
// that the matcher uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/matching/matcher.h"
#include "services/matchmaking/app/ticket.h"
#include "services/matchmaking/app/upstreams.h"

namespace tarot::matchmaking_service {

// The ratings that the matcher uses. For each ticket, one answer of the ratings service is needed.
// Until this answer has come, the matcher uses the player's last known rating, or kPriorRating if
// there is none. Not thread-safe.
class RatingBook {
 public:
  // Returns the players whose ratings must be requested. There are two kinds of such players: the
  // ratings service has not answered yet for a ticket of the player, or the player's rating on the
  // ladder of `player_count` is not known.
  std::vector<PlayerId> Missing(absl::Span<const Ticket> tickets, int player_count) const;

  void Learn(absl::Span<const Ticket> tickets, const Ratings& ratings, int player_count);

  int Of(PlayerId player, int player_count) const;

 private:
  absl::flat_hash_map<std::pair<PlayerId, int>, int> known_;
  absl::flat_hash_set<TicketId> asked_;  // The tickets for which the ratings service has answered.
};

// BlockLists[player] is the list of players whom this player blocks.
using BlockLists = absl::flat_hash_map<PlayerId, std::vector<PlayerId>>;

// The tickets of one queue in the form that the matcher needs.
struct MatcherInput {
  std::vector<matching::MatchTicket> tickets;  // Oldest first, as in the queue.
  std::vector<std::uint32_t> blocked;          // The block lists of `tickets`.
  matching::RoundTrips round_trips;
};

// The result of the wave of one queue. It does not change, so any thread may read it.
class QueueWave {
 public:
  // Runs the wave. `tickets` are the waiting tickets of the queue, sorted by age, the oldest first.
  // `round_trips` are those of the catalog.
  QueueWave(Queue queue, std::vector<Ticket> tickets, const RatingBook& book,
            const BlockLists& blocks, absl::Span<const RoundTrip> round_trips, absl::Time now);
  // In a copy, `input_` would still have pointers to the lists of the original.
  QueueWave(const QueueWave&) = delete;
  QueueWave& operator=(const QueueWave&) = delete;

  const Queue& queue() const { return queue_; }
  absl::Time time() const { return time_; }
  const std::vector<Ticket>& tickets() const { return tickets_; }
  // Returns the tables and the waiting tickets. A ticket is given by its index in `tickets()`.
  const matching::MatchWave& result() const { return result_; }
  int RatingOf(std::size_t ticket) const { return input_.tickets[ticket].rating; }

  // Returns the obstacle between one ticket and each waiting ticket of the wave: result[i] belongs
  // to result().waiting[i]. `ticket` is the index of the one ticket in `tickets()`.
  std::vector<matching::Obstacle> Explain(std::size_t ticket) const;

 private:
  const Queue queue_;
  const absl::Time time_;
  const std::vector<Ticket> tickets_;
  const MatcherInput input_;
  const matching::MatchWave result_;
};

}  // namespace tarot::matchmaking_service
