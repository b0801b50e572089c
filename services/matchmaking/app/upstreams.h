// Declares the interfaces of the services that matchmaking calls. These services answer
// asynchronously.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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
  // Requests tables of one cell. Even if the rules service gets several requests for a table, it
  // makes the table only once. Calls `done` with the answers for some of the tables, on any thread.
  // It may call `done` at once, later, several times, or never.
  virtual void CreateTables(const std::vector<PlannedTable>& tables, Done done) = 0;
};

class CapacityClient {
 public:
  using Done = std::function<void(const absl::StatusOr<std::uint64_t>&)>;

  virtual ~CapacityClient() = default;
  // Asks a cell how many more tables it has room for. Calls `done` on any thread: at once, later,
  // or never.
  virtual void GetCapacity(int cell, Done done) = 0;
};

class DealCounter {
 public:
  virtual ~DealCounter() = default;
  // Returns how many deals `table` has had so far, including the running deal. Calls the rules
  // service in the name of the player `caller`, and waits for the answer. The errors are NOT_FOUND
  // TABLE_NOT_FOUND, and UNAVAILABLE with the reason of the rules service.
  virtual absl::StatusOr<int> CountDeals(const Caller& caller, TableId table) = 0;
};

class MatchEnds {
 public:
  virtual ~MatchEnds() = default;
  // Returns the persons who had left when the match of `table` ended, or nullopt while the match
  // runs. Calls the rules service and waits for the answer. Returns NOT_FOUND TABLE_NOT_FOUND, or
  // UNAVAILABLE with the reason of the rules service.
  virtual absl::StatusOr<std::optional<std::vector<PlayerId>>> FindLeftPlayers(TableId table) = 0;
};

}  // namespace tarot::matchmaking_service
