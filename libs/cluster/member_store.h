// The SQL table in which the replicas of a service write their heartbeats. There are two
// implementations: PgMemberStore (production) and FakeMemberStore (tests, simulation).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"

namespace tarot::cluster {

// One replica. The other replicas reach it at `address`.
struct Member {
  std::string address;
  // Identifies the process. Each process has a new incarnation, also if it starts again at the same
  // address.
  Uuid incarnation;
  // Grows by one with each heartbeat of the node. It is a count, not a time.
  std::int64_t heartbeat = 0;
  // How far the node's clock is ahead of the store's clock, as the node last measured it.
  absl::Duration clock_offset;
};

// All rows of the SQL table, as one statement read them.
struct Roll {
  std::vector<Member> members;
  absl::Time store_time;  // The time on the store's clock when the statement ran.
  // The incarnation that was in the node's row before this heartbeat, if the node had a row. Only
  // Heartbeat() sets this field.
  std::optional<Uuid> replaced;
};

class MemberStore {
 public:
  virtual ~MemberStore() = default;

  // Sends a heartbeat by one statement. The statement adds one to the heartbeat in the row of
  // `address`, sets the other columns of this row, and returns all rows. If `address` has no row,
  // it adds a row with heartbeat 1.
  virtual absl::StatusOr<Roll> Heartbeat(const std::string& address, const Uuid& incarnation,
                                         absl::Duration clock_offset) = 0;

  // Returns all rows.
  virtual absl::StatusOr<Roll> List() = 0;

  // Removes the row of `address` if it belongs to `incarnation`.
  virtual absl::Status Remove(const std::string& address, const Uuid& incarnation) = 0;
};

}  // namespace tarot::cluster
