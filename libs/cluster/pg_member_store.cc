#include "libs/cluster/pg_member_store.h"

#include "absl/strings/str_cat.h"

namespace tarot::cluster {
namespace {

std::vector<Member> Members(const pqxx::result& rows) {
  std::vector<Member> members;
  for (const pqxx::row& row : rows) {
    members.push_back({.address = row[0].as<std::string>(),
                       .incarnation = Uuid::Parse(row[1].c_str()).value_or(Uuid()),
                       .heartbeat = row[2].as<std::int64_t>()});
  }
  return members;
}

}  // namespace

PgMemberStore::PgMemberStore(const std::string& dsn, const std::string& schema,
                             prometheus::Registry& registry)
    : texts_{.heartbeat_name = absl::StrCat(schema, "_beat_node"),
             .heartbeat_sql = absl::StrCat(
                 "WITH own AS (INSERT INTO ", schema, ".nodes AS n (address, incarnation, beat)",
                 " VALUES ($1, $2, 1) ON CONFLICT (address) DO UPDATE",
                 " SET incarnation = EXCLUDED.incarnation, beat = n.beat + 1",
                 " RETURNING address, incarnation, beat)", " SELECT * FROM own UNION ALL",
                 " SELECT address, incarnation, beat FROM ", schema, ".nodes WHERE address <> $1"),
             .list_name = absl::StrCat(schema, "_list_nodes"),
             .list_sql = absl::StrCat("SELECT address, incarnation, beat FROM ", schema, ".nodes"),
             .remove_name = absl::StrCat(schema, "_remove_node"),
             .remove_sql = absl::StrCat("DELETE FROM ", schema,
                                        ".nodes WHERE address = $1 AND incarnation = $2")},
      heartbeat_{texts_.heartbeat_name.c_str(), texts_.heartbeat_sql.c_str()},
      list_{texts_.list_name.c_str(), texts_.list_sql.c_str()},
      remove_{texts_.remove_name.c_str(), texts_.remove_sql.c_str()},
      pool_({.dsn = dsn,
             .connections = 1,
             .statement_timeout = absl::Seconds(2),
             .application_name = absl::StrCat("tarot-", schema, "-nodes"),
             .session_sql = "SET synchronous_commit = off"},
            {heartbeat_, list_, remove_}, registry) {}

absl::StatusOr<std::vector<Member>> PgMemberStore::Heartbeat(const std::string& address,
                                                             const Uuid& incarnation) {
  return pool_.With(
      heartbeat_, [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<Member>> {
        return Members(pqxx::nontransaction(connection)
                           .exec_prepared(heartbeat_.name, address, incarnation.ToString()));
      });
}

absl::StatusOr<std::vector<Member>> PgMemberStore::List() {
  return pool_.With(list_,
                    [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<Member>> {
                      return Members(pqxx::nontransaction(connection).exec_prepared(list_.name));
                    });
}

absl::Status PgMemberStore::Remove(const std::string& address, const Uuid& incarnation) {
  return pool_.With(remove_, [&](pqxx::connection& connection) -> absl::Status {
    pqxx::nontransaction(connection).exec_prepared(remove_.name, address, incarnation.ToString());
    return absl::OkStatus();
  });
}

}  // namespace tarot::cluster
