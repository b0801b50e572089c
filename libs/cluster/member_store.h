// Where the replicas of a service announce themselves. Two implementations: PgMemberStore
// (production) and FakeMemberStore (tests, simulation).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/base/ids.h"

namespace tarot::cluster {

// One replica, by the address at which the others reach it.
struct Member {
  std::string address;
  Uuid incarnation;       // Of its process: a new one after each start.
  std::int64_t beat = 0;  // Grows while it lives. Never compared with a clock.
};

class MemberStore {
 public:
  virtual ~MemberStore() = default;

  // Moves the beat of `address` by one, or writes its row when there is none, and returns all rows
  // after that, in one statement.
  virtual absl::StatusOr<std::vector<Member>> Beat(const std::string& address,
                                                   const Uuid& incarnation) = 0;

  // All rows.
  virtual absl::StatusOr<std::vector<Member>> List() = 0;

  // Takes the row of `address` away, if it still is that incarnation's.
  virtual absl::Status Remove(const std::string& address, const Uuid& incarnation) = 0;
};

}  // namespace tarot::cluster
