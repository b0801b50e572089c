// Declares a copy of all waiting tickets in memory. Postgres has the tickets, and each replica
// follows their changes (docs/adr/2026-11-26-follow-changed-tickets.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "services/matchmaking/app/queue_wave.h"
#include "services/matchmaking/app/ticket_service.h"

namespace tarot::matchmaking_service {

// Not thread-safe.
class WaitingTickets {
 public:
  explicit WaitingTickets(TicketStore& store) : store_(&store) {}

  // Reads from the store what has changed since the last call. The first call reads all waiting
  // tickets. After an error, the next call reads the same changes again.
  absl::Status Refresh();

  // Reads these tickets from the store, and forgets those that do not wait. Call this function for
  // the tickets of tables that the store did not place.
  absl::Status Check(const std::vector<TicketId>& tickets);

  // Returns the waiting tickets of a queue, oldest first.
  std::vector<Ticket> Of(const std::string& queue) const;
  int Count(const std::string& queue) const;
  // The block lists of players with waiting tickets.
  const BlockLists& blocks() const { return blocks_; }

 private:
  // The tickets of a queue, in the order of their age.
  using ByAge = std::map<std::pair<absl::Time, TicketId>, Ticket>;

  void Apply(TicketChange change);
  void Erase(TicketId id);
  // Returns the other tickets of the player that are in memory.
  std::vector<TicketId> Others(const Ticket& ticket) const;

  TicketStore* store_;
  std::uint64_t cursor_ = 0;
  std::map<std::string, ByAge> queues_;
  absl::flat_hash_map<TicketId, std::pair<std::string, absl::Time>> places_;
  absl::flat_hash_map<PlayerId, std::vector<TicketId>> of_player_;
  BlockLists blocks_;
};

}  // namespace tarot::matchmaking_service
