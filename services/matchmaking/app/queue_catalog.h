// The queues and bots of this replica. They are checked, and refreshed from the store before each
// wave.
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

// Returns INVALID_ARGUMENT BAD_REQUEST with the path of the first bad field, for example
// "queues[1].move_limit". `population_size` bots queue by themselves and do not fill casual tables.
absl::Status CheckCatalog(const Catalog& catalog, std::size_t population_size);

// Returns one line, for people, for each queue and bot that differs. The result is empty when the
// catalogs are equal.
std::vector<std::string> DescribeChanges(const Catalog& before, const Catalog& after);

// Returns the bots of the population: the first ones of the roster.
std::vector<Bot> Population(absl::Span<const Bot> roster, std::size_t population_size);

// Returns the bots that fill the free seats of casual tables: bots outside of the population that
// sit with people.
std::vector<Bot> Fillers(absl::Span<const Bot> roster, std::size_t population_size);

// Thread-safe.
class QueueCatalog {
 public:
  QueueCatalog(TicketStore& store, std::size_t population_size)
      : store_(store), population_size_(population_size) {}

  // Returns the catalog of the last refresh.
  std::shared_ptr<const Catalog> Get() const;

  // Reads the store. Keeps the last catalog if the store is away or its data are invalid. A store
  // without queues and bots is valid: no catalog was applied yet.
  absl::Status Refresh();

  // Checks and stores a new catalog, and returns the changes. Every replica uses it from its next
  // wave on. If it returns INVALID_ARGUMENT BAD_REQUEST, nothing has changed.
  absl::StatusOr<std::vector<std::string>> Apply(const Catalog& catalog);

  std::size_t population_size() const { return population_size_; }

 private:
  TicketStore& store_;
  const std::size_t population_size_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Catalog> current_ = std::make_shared<const Catalog>();
};

}  // namespace tarot::matchmaking_service
