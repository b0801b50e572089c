// The queues and bots that this replica uses. Before each wave they are read from the store and
// checked.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "services/matchmaking/app/ticket.h"

namespace tarot::matchmaking_service {

class TicketStore;

// Checks all queues and bots. Returns INVALID_ARGUMENT BAD_REQUEST with the path of the first bad
// field, for example "queues[1].move_limit". The first `population_size` bots queue by themselves
// and do not fill casual tables.
absl::Status CheckCatalog(const Catalog& catalog, std::size_t population_size);

// Returns one line of text for each queue and each bot that differs. The result is empty if the
// catalogs are equal.
std::vector<std::string> DescribeChanges(const Catalog& before, const Catalog& after);

// Returns the bots of the population: the first `population_size` bots of `roster`.
std::vector<Bot> Population(absl::Span<const Bot> roster, std::size_t population_size);

// Returns the bots that may fill free seats of casual tables: those outside the population whose
// level may sit with people.
std::vector<Bot> Fillers(absl::Span<const Bot> roster, std::size_t population_size);

// Thread-safe.
class QueueCatalog {
 public:
  QueueCatalog(TicketStore& store, std::size_t population_size)
      : store_(store), population_size_(population_size) {}

  // Returns the catalog of the last refresh.
  std::shared_ptr<const Catalog> Get() const;

  // Reads the catalog from the store. If the store is away or its data are invalid, keeps the last
  // catalog and returns the error. A store without queues and bots is valid, because no catalog was
  // applied yet.
  absl::Status Refresh();

  // Checks and stores a new catalog, and returns the changes as text. This replica uses it at once,
  // and every other replica from its next wave on. If this function returns INVALID_ARGUMENT
  // BAD_REQUEST, nothing has changed.
  absl::StatusOr<std::vector<std::string>> Apply(const Catalog& catalog);

  // Returns true for a bot of the catalog and for a bot of rooms.
  bool IsBot(PlayerId player) const;

  std::size_t population_size() const { return population_size_; }

 private:
  TicketStore& store_;
  const std::size_t population_size_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Catalog> current_ = std::make_shared<const Catalog>();
};

}  // namespace tarot::matchmaking_service
