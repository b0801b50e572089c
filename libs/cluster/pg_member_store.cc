#include "libs/cluster/pg_member_store.h"

#include "absl/strings/str_cat.h"

namespace tarot::cluster {
namespace {

constexpr char kColumns[] = "address, incarnation, beat, clock_offset_seconds";
// The first row of each result is no member, so its address is null. It has the time of the store,
// and the replaced incarnation (null if there is none).
constexpr char kStoreSeconds[] = "extract(epoch FROM clock_timestamp())::double precision";

Roll RollOf(const pqxx::result& rows) {
  Roll roll;
  for (const pqxx::row& row : rows) {
    const double seconds = row[3].as<double>();
    if (row[0].is_null()) {
      roll.store_time = absl::UnixEpoch() + absl::Seconds(seconds);
      if (!row[1].is_null()) roll.replaced = Uuid::Parse(row[1].c_str());
      continue;
    }
    roll.members.push_back({.address = row[0].as<std::string>(),
                            .incarnation = Uuid::Parse(row[1].c_str()).value_or(Uuid()),
                            .heartbeat = row[2].as<std::int64_t>(),
                            .clock_offset = absl::Seconds(seconds)});
  }
  return roll;
}

}  // namespace

PgMemberStore::PgMemberStore(const std::string& dsn, const std::string& schema,
                             prometheus::Registry& registry)
    : texts_{.heartbeat_name = absl::StrCat(schema, "_beat_node"),
             .heartbeat_sql =
                 absl::StrCat("WITH before AS (SELECT incarnation FROM ", schema,
                              ".nodes WHERE address = $1),", " own AS (INSERT INTO ", schema,
                              ".nodes AS n (address, incarnation, beat, clock_offset_seconds)",
                              " VALUES ($1, $2, 1, $3) ON CONFLICT (address) DO UPDATE",
                              " SET incarnation = EXCLUDED.incarnation, beat = n.beat + 1,",
                              " clock_offset_seconds = EXCLUDED.clock_offset_seconds",
                              " RETURNING address, incarnation, beat, clock_offset_seconds)",
                              " SELECT NULL, (SELECT incarnation FROM before), 0, ", kStoreSeconds,
                              " UNION ALL SELECT * FROM own", " UNION ALL SELECT ", kColumns,
                              " FROM ", schema, ".nodes WHERE address <> $1"),
             .list_name = absl::StrCat(schema, "_list_nodes"),
             .list_sql = absl::StrCat("SELECT NULL, NULL::uuid, 0, ", kStoreSeconds,
                                      " UNION ALL SELECT ", kColumns, " FROM ", schema, ".nodes"),
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

absl::StatusOr<Roll> PgMemberStore::Heartbeat(const std::string& address, const Uuid& incarnation,
                                              absl::Duration clock_offset) {
  return pool_.With(heartbeat_, [&](pqxx::connection& connection) -> absl::StatusOr<Roll> {
    return RollOf(pqxx::nontransaction(connection)
                      .exec_prepared(heartbeat_.name, address, incarnation.ToString(),
                                     absl::ToDoubleSeconds(clock_offset)));
  });
}

absl::StatusOr<Roll> PgMemberStore::List() {
  return pool_.With(list_, [&](pqxx::connection& connection) -> absl::StatusOr<Roll> {
    return RollOf(pqxx::nontransaction(connection).exec_prepared(list_.name));
  });
}

absl::Status PgMemberStore::Remove(const std::string& address, const Uuid& incarnation) {
  return pool_.With(remove_, [&](pqxx::connection& connection) -> absl::Status {
    pqxx::nontransaction(connection).exec_prepared(remove_.name, address, incarnation.ToString());
    return absl::OkStatus();
  });
}

}  // namespace tarot::cluster
