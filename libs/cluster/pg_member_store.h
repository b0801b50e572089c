// MemberStore in Postgres: the table <schema>.nodes (address text, incarnation uuid, beat bigint).
#pragma once

#include <prometheus/registry.h>

#include <string>

#include "libs/cluster/member_store.h"
#include "libs/pg/pool.h"

namespace tarot::cluster {

// Has a connection of its own, so that a crowd at the service's pool never lets a node seem dead,
// and does not wait for the disk: a beat that a crash of Postgres loses is made good by the next.
class PgMemberStore final : public MemberStore {
 public:
  PgMemberStore(const std::string& dsn, const std::string& schema, prometheus::Registry& registry);

  absl::StatusOr<std::vector<Member>> Beat(const std::string& address,
                                           const Uuid& incarnation) override;
  absl::StatusOr<std::vector<Member>> List() override;
  absl::Status Remove(const std::string& address, const Uuid& incarnation) override;

 private:
  struct Texts {  // What the statements point to.
    std::string beat_name, beat_sql, list_name, list_sql, remove_name, remove_sql;
  };

  const Texts texts_;
  const pg::Statement beat_;
  const pg::Statement list_;
  const pg::Statement remove_;
  pg::Pool pool_;
};

}  // namespace tarot::cluster
