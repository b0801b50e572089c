// Declares the catalog: the queues and bots that this replica uses. Before each wave, the replica
// reads them from the store and checks them.
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

// Checks all queues and bots. If a field is bad, returns INVALID_ARGUMENT BAD_REQUEST with the path
// of the first bad field, for example "queues[1].move_limit". The first `population_size` bots join
// queues by themselves and do not fill casual tables.
absl::Status CheckCatalog(const Catalog& catalog, std::size_t population_size);

// Returns one line of text for each queue, bot and round trip that differs between the two
// catalogs. The result is empty if the catalogs are equal.
std::vector<std::string> DescribeChanges(const Catalog& before, const Catalog& after);

// Returns the bots of the population: the first `population_size` bots of `roster`.
std::vector<Bot> Population(absl::Span<const Bot> roster, std::size_t population_size);

// Returns the bots that may fill free seats of casual tables. Such a bot does not belong to the
// population, and a bot of its level may sit with people.
std::vector<Bot> Fillers(absl::Span<const Bot> roster, std::size_t population_size);

// Thread-safe.
class QueueCatalog {
 public:
  QueueCatalog(TicketStore& store, std::size_t population_size)
      : store_(store), population_size_(population_size) {}

  // Returns the catalog that the last refresh has read.
  std::shared_ptr<const Catalog> Get() const;

  // Reads the catalog from the store. If the store does not answer or its data are invalid, keeps
  // the last catalog and returns the error. A store without queues and bots is valid: it means that
  // no catalog was applied yet.
  absl::Status Refresh();
  // Calls Refresh. If this function has already called Refresh in the second before `now`, does
  // nothing.
  absl::Status RefreshAtMostOncePerSecond(absl::Time now);

  // Checks and stores a new catalog, and returns the changes as text. Also returns a line for each
  // queue that stays closed. This replica uses the new catalog at once, and every other replica
  // uses it from its next wave on. If this function returns INVALID_ARGUMENT BAD_REQUEST, nothing
  // has changed.
  absl::StatusOr<std::vector<std::string>> Apply(const Catalog& catalog);

  // Sets the number of bots that join queues by themselves. Returns the previous number. If the
  // catalog is not valid with the new number, changes nothing and returns INVALID_ARGUMENT
  // BAD_REQUEST.
  absl::StatusOr<int> SetPopulation(int population);

  // Returns true for each bot of the catalog and for each bot of rooms.
  bool IsBot(PlayerId player) const;

  // Returns the number of bots that join queues by themselves. The last refresh has read this
  // number.
  std::size_t population_size() const { return PopulationOf(*Get()); }

 private:
  std::size_t PopulationOf(const Catalog& catalog) const {
    return catalog.population ? static_cast<std::size_t>(*catalog.population) : population_size_;
  }

  TicketStore& store_;
  const std::size_t population_size_;  // The option --population.
  std::mutex refresh_mutex_;           // RefreshAtMostOncePerSecond holds this mutex.
  // The time when RefreshAtMostOncePerSecond last read the catalog.
  absl::Time refreshed_ = absl::InfinitePast();
  mutable std::mutex mutex_;
  std::shared_ptr<const Catalog> current_ = std::make_shared<const Catalog>();
};

}  // namespace tarot::matchmaking_service
