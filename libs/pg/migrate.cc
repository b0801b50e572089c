#include "libs/pg/migrate.h"

#include <map>
#include <pqxx/pqxx>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/obs/log.h"
#include "libs/pg/pool.h"

namespace tarot::pg {
namespace {

struct Applied {
  std::string name;
  std::string checksum;
};

// Creates the schema and its SQL table `migrations`, if they are missing. The role of a service may
// lack the right to create schemas. CREATE SCHEMA IF NOT EXISTS needs this right even if the schema
// exists, so the function first looks for the schema.
void CreateLedger(pqxx::connection& connection, const std::string& schema) {
  pqxx::work tx(connection);
  if (tx.exec_params("SELECT FROM pg_namespace WHERE nspname = $1", schema).empty()) {
    tx.exec0("CREATE SCHEMA " + tx.quote_name(schema));
  }
  tx.exec0(absl::StrCat("CREATE TABLE IF NOT EXISTS ", tx.quote_name(schema), R"sql(.migrations (
    version integer CONSTRAINT migrations_pk PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    apply_time timestamptz NOT NULL DEFAULT now()
  ))sql"));
  tx.commit();
}

std::map<int, Applied> ReadLedger(pqxx::connection& connection, const std::string& schema) {
  pqxx::nontransaction tx(connection);
  std::map<int, Applied> applied;
  for (const pqxx::row& row : tx.exec(absl::StrCat("SELECT version, name, checksum FROM ",
                                                   tx.quote_name(schema), ".migrations"))) {
    applied[row[0].as<int>()] = {row[1].as<std::string>(), row[2].as<std::string>()};
  }
  return applied;
}

std::string Checksum(pqxx::connection& connection, const char* sql) {
  pqxx::nontransaction tx(connection);
  return tx.exec_params1("SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')", sql)[0]
      .as<std::string>();
}

// A migration that waits for a lock of a table also delays all later statements on this table. So
// the migration gives up soon. It is tried again after a pause, in which the other statements go
// on.
constexpr int kLockAttempts = 60;

void ApplyOnce(pqxx::connection& connection, const std::string& schema, const Migration& migration,
               const std::string& checksum) {
  pqxx::work tx(connection);
  tx.exec0("SET LOCAL lock_timeout = '1s'");
  tx.exec0(migration.sql);
  tx.exec_params0(absl::StrCat("INSERT INTO ", tx.quote_name(schema),
                               ".migrations (version, name, checksum) VALUES ($1, $2, $3)"),
                  migration.version, migration.name, checksum);
  tx.commit();
}

// Returns whether another transaction held a lock that the statement needed.
bool LockWasTaken(const pqxx::sql_error& error) {
  return error.sqlstate() == "55P03" || error.sqlstate() == "40P01";
}

void Apply(pqxx::connection& connection, const std::string& schema, const Migration& migration,
           const std::string& checksum) {
  for (int attempt = 1;; ++attempt) {
    try {
      ApplyOnce(connection, schema, migration, checksum);
      break;
    } catch (const pqxx::sql_error& error) {
      if (!LockWasTaken(error) || attempt == kLockAttempts) throw;
    }
    pqxx::nontransaction(connection).exec1("SELECT pg_sleep(0.5)");
  }
  obs::Log(obs::Level::kInfo, "migration applied", {{"migration", migration.name}});
}

absl::Status MigrateOn(pqxx::connection& connection, const std::string& schema,
                       const std::vector<Migration>& migrations) {
  // The lock lasts until the connection closes. If another replica migrates now, this replica waits
  // here, and then finds nothing left to apply.
  pqxx::nontransaction(connection)
      .exec_params("SELECT pg_advisory_lock(hashtextextended('tarot.migrations.' || $1, 0))",
                   schema);
  CreateLedger(connection, schema);
  const std::map<int, Applied> applied = ReadLedger(connection, schema);
  for (const Migration& migration : migrations) {
    const std::string checksum = Checksum(connection, migration.sql);
    const auto before = applied.find(migration.version);
    if (before == applied.end()) {
      Apply(connection, schema, migration, checksum);
    } else if (before->second.checksum != checksum) {
      return Error(absl::StatusCode::kFailedPrecondition, "MIGRATION_CHANGED",
                   absl::StrCat(migration.name, " was changed after it was applied."),
                   {{"migration", migration.name}});
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Migrate(const std::string& dsn, const std::string& schema,
                     const std::vector<Migration>& migrations) {
  try {
    pqxx::connection connection(dsn);
    return MigrateOn(connection, schema, migrations);
  } catch (const std::exception& e) {
    obs::Log(obs::Level::kError, "migration failed", {{"schema", schema}, {"why", e.what()}});
    return StatusFromCurrentException();
  }
}

}  // namespace tarot::pg
