// The interfaces of the services that matchmaking calls. They answer asynchronously.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/base/ids.h"
#include "services/matchmaking/app/ticket.h"

namespace tarot::matchmaking_service {

using Ratings = absl::flat_hash_map<PlayerId, int>;  // The values are in rating points.

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
  using Done = absl::AnyInvocable<void(absl::Status)>;

  virtual ~TableClient() = default;
  // Requests a table. The rules service makes the table only once, even if it gets several
  // requests. Calls `done` on any thread: at once, later, or never.
  virtual void CreateTable(const PlannedTable& table, Done done) = 0;
};

}  // namespace tarot::matchmaking_service
