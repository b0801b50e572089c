// A MemberStore in Postgres. The SQL table <schema>.nodes has the columns address (text),
// incarnation (uuid), beat (bigint, the heartbeat) and clock_offset_seconds (double precision).
#pragma once

#include <prometheus/registry.h>

#include <string>

#include "libs/cluster/member_store.h"
#include "libs/pg/pool.h"

namespace tarot::cluster {

// The store has its own connection. So it does not wait if the service uses all connections of its
// pool. The commits of the store do not wait for the disk. If Postgres crashes and loses a
// heartbeat, the next heartbeat replaces it.
class PgMemberStore final : public MemberStore {
 public:
  PgMemberStore(const std::string& dsn, const std::string& schema, prometheus::Registry& registry);

  absl::StatusOr<Roll> Heartbeat(const std::string& address, const Uuid& incarnation,
                                 absl::Duration clock_offset) override;
  absl::StatusOr<Roll> List() override;
  absl::Status Remove(const std::string& address, const Uuid& incarnation) override;

 private:
  // The names and SQL of the statements. The Statement members below point into these strings.
  struct Texts {
    std::string heartbeat_name, heartbeat_sql, list_name, list_sql, remove_name, remove_sql;
  };

  const Texts texts_;
  const pg::Statement heartbeat_;
  const pg::Statement list_;
  const pg::Statement remove_;
  pg::Pool pool_;
};

}  // namespace tarot::cluster
