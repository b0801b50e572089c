// The interfaces of the services that matchmaking calls. They answer asynchronously.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/base/ids.h"
#include "services/matchmaking/app/ticket.h"

namespace tarot::matchmaking_service {

using Ratings = absl::flat_hash_map<PlayerId, int>;  // The ratings are in rating points.

class RatingClient {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<Ratings>)>;

  virtual ~RatingClient() = default;
  // Requests the ratings of `players` at tables of `player_count` players. Calls `done` on any
  // thread: at once, later, or never.
  virtual void GetRatings(const std::vector<PlayerId>& players, int player_count, Done done) = 0;
};

class TableClient {
 public:
  using Answers = std::vector<std::pair<TableId, absl::Status>>;
  using Done = std::function<void(const Answers&)>;

  virtual ~TableClient() = default;
  // Requests tables. The rules service makes each table only once, even if it gets several
  // requests. Calls `done` with the answers for some of the tables, on any thread: at once, later,
  // several times, or never.
  virtual void CreateTables(const std::vector<PlannedTable>& tables, Done done) = 0;
};

class DealCounter {
 public:
  virtual ~DealCounter() = default;
  // Returns the number of deals that were dealt at `table` so far. Calls the rules service in the
  // name of the player `caller`, and waits for the answer. Returns NOT_FOUND TABLE_NOT_FOUND, or
  // UNAVAILABLE with the reason of the rules service.
  virtual absl::StatusOr<int> CountDeals(const Caller& caller, TableId table) = 0;
};

}  // namespace tarot::matchmaking_service
