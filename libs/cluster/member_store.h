// The table in which the replicas of a service announce themselves. It has two implementations:
// PgMemberStore (production) and FakeMemberStore (tests, simulation).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/base/ids.h"

namespace tarot::cluster {

// One replica. The other replicas reach it at `address`.
struct Member {
  std::string address;
  // Identifies the node's process. Each start of the process makes a new one.
  Uuid incarnation;
  std::int64_t heartbeat = 0;  // Grows while the node lives. It is never compared with a clock.
};

class MemberStore {
 public:
  virtual ~MemberStore() = default;

  // In one statement, adds one to the heartbeat of `address` (or writes its row if there is none)
  // and returns all rows after this change.
  virtual absl::StatusOr<std::vector<Member>> Heartbeat(const std::string& address,
                                                        const Uuid& incarnation) = 0;

  // Returns all rows.
  virtual absl::StatusOr<std::vector<Member>> List() = 0;

  // Removes the row of `address` if it still belongs to this incarnation.
  virtual absl::Status Remove(const std::string& address, const Uuid& incarnation) = 0;
};

}  // namespace tarot::cluster
