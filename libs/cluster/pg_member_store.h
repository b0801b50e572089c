// MemberStore in Postgres. Its table is <schema>.nodes (address text, incarnation uuid, beat
// bigint).
#pragma once

#include <prometheus/registry.h>

#include <string>

#include "libs/cluster/member_store.h"
#include "libs/pg/pool.h"

namespace tarot::cluster {

// The store has its own connection, so that a busy pool does not make the node look dead. It does
// not wait for the disk: if a crash of Postgres loses a heartbeat, the next one replaces it.
class PgMemberStore final : public MemberStore {
 public:
  PgMemberStore(const std::string& dsn, const std::string& schema, prometheus::Registry& registry);

  absl::StatusOr<std::vector<Member>> Heartbeat(const std::string& address,
                                                const Uuid& incarnation) override;
  absl::StatusOr<std::vector<Member>> List() override;
  absl::Status Remove(const std::string& address, const Uuid& incarnation) override;

 private:
  struct Texts {  // The texts of the statements. Statement objects point into these texts.
    std::string heartbeat_name, heartbeat_sql, list_name, list_sql, remove_name, remove_sql;
  };

  const Texts texts_;
  const pg::Statement heartbeat_;
  const pg::Statement list_;
  const pg::Statement remove_;
  pg::Pool pool_;
};

}  // namespace tarot::cluster
