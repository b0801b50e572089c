#include "libs/pg/migrate.h"

#include <algorithm>
#include <map>
#include <pqxx/pqxx>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/obs/log.h"
#include "libs/pg/pool.h"

namespace tarot::pg {
namespace {

constexpr absl::string_view kOldestProgram = "-- Oldest program: V";
constexpr absl::string_view kOutsideTransaction = "-- Runs outside a transaction.";

struct Applied {
  std::string name;
  std::string checksum;
};

struct Ledger {
  std::map<int, Applied> applied;
  SchemaVersion version;
};

// Returns the version in the line kOldestProgram of the migration, or 0.
int OldestProgram(const Migration& migration) {
  for (absl::string_view line : absl::StrSplit(migration.sql, '\n')) {
    if (!absl::ConsumePrefix(&line, kOldestProgram)) continue;
    int version = 0;
    TAROT_CHECK(absl::SimpleAtoi(absl::StripSuffix(line, "."), &version));
    TAROT_CHECK(version <= migration.version);
    return version;
  }
  return 0;
}

// Returns the statements of a migration that runs outside a transaction. The last line of each
// statement ends with ";".
std::vector<std::string> StatementsOf(const Migration& migration) {
  std::vector<std::string> statements(1);
  for (const absl::string_view line : absl::StrSplit(migration.sql, '\n')) {
    absl::StrAppend(&statements.back(), line, "\n");
    if (absl::EndsWith(line, ";")) statements.emplace_back();
  }
  TAROT_CHECK(absl::StripAsciiWhitespace(statements.back()).empty());
  statements.pop_back();
  return statements;
}

std::string Checksum(pqxx::connection& connection, const char* sql) {
  pqxx::nontransaction tx(connection);
  return tx.exec_params1("SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')", sql)[0]
      .as<std::string>();
}

constexpr char kLockTimeout[] = "55P03";  // The SQLSTATE of a lock that is not free.

// Migrates one schema on one connection. All functions throw the exceptions of pqxx.
class Job {
 public:
  Job(pqxx::connection& connection, const std::string& schema, const MigrateOptions& options)
      : connection_(connection), schema_(schema), options_(options) {}

  absl::Status Run(const std::vector<Migration>& migrations) {
    // The lock lasts until the connection closes. If another job migrates now, this job waits here,
    // and then finds nothing left to apply.
    pqxx::nontransaction(connection_)
        .exec_params("SELECT pg_advisory_lock(hashtextextended('tarot.migrations.' || $1, 0))",
                     schema_);
    WhenFree("the list of migrations", [this] { CreateLedger(); });
    const Ledger ledger = ReadLedger();
    if (!migrations.empty()) {
      const int known = migrations.back().version;
      const SchemaVersion after = {std::max(known, ledger.version.newest),
                                   ledger.version.oldest_program};
      TAROT_RETURN_IF_ERROR(CheckVersion(schema_, after, known));
    }
    for (const Migration& migration : migrations) {
      TAROT_RETURN_IF_ERROR(RunOne(migration, ledger));
    }
    return absl::OkStatus();
  }

 private:
  std::string LedgerName() const { return connection_.quote_name(schema_) + ".migrations"; }

  // Creates the schema and its SQL table `migrations`, if they are missing. CREATE SCHEMA IF NOT
  // EXISTS needs the right to create schemas even if the schema exists, and the owner of the schema
  // may lack it. So the function first looks for the schema.
  void CreateLedger() {
    pqxx::work tx(connection_);
    SetLockTimeout(tx);
    if (tx.exec_params("SELECT FROM pg_namespace WHERE nspname = $1", schema_).empty()) {
      tx.exec0("CREATE SCHEMA " + tx.quote_name(schema_));
    }
    tx.exec0(absl::StrCat("CREATE TABLE IF NOT EXISTS ", LedgerName(), R"sql( (
      version integer CONSTRAINT migrations_pk PRIMARY KEY,
      name text NOT NULL,
      checksum text NOT NULL,
      apply_time timestamptz NOT NULL DEFAULT now(),
      oldest_program integer NOT NULL DEFAULT 0
    ))sql"));
    // Older versions made the SQL table without the last column. ALTER TABLE takes a lock even if
    // the column exists, so the function first looks for the column.
    if (tx.exec_params("SELECT FROM pg_attribute WHERE attrelid = $1::regclass AND attname = $2",
                       LedgerName(), "oldest_program")
            .empty()) {
      tx.exec0(absl::StrCat("ALTER TABLE ", LedgerName(),
                            " ADD COLUMN oldest_program integer NOT NULL DEFAULT 0"));
    }
    tx.commit();
  }

  Ledger ReadLedger() {
    pqxx::nontransaction tx(connection_);
    Ledger ledger;
    for (const pqxx::row& row : tx.exec(
             absl::StrCat("SELECT version, name, checksum, oldest_program FROM ", LedgerName()))) {
      const int version = row[0].as<int>();
      ledger.applied[version] = {row[1].as<std::string>(), row[2].as<std::string>()};
      ledger.version.newest = std::max(ledger.version.newest, version);
      ledger.version.oldest_program = std::max(ledger.version.oldest_program, row[3].as<int>());
    }
    return ledger;
  }

  absl::Status RunOne(const Migration& migration, const Ledger& ledger) {
    const std::string checksum = Checksum(connection_, migration.sql);
    const auto before = ledger.applied.find(migration.version);
    if (before != ledger.applied.end()) {
      if (before->second.checksum == checksum) return absl::OkStatus();
      return Error(absl::StatusCode::kFailedPrecondition, "MIGRATION_CHANGED",
                   absl::StrCat(migration.name, " was changed after it was applied."),
                   {{"migration", migration.name}});
    }
    const bool alone = absl::StrContains(migration.sql, kOutsideTransaction);
    WhenFree(migration.name, [&] {
      if (alone) {
        ApplyOutsideTransaction(migration, checksum);
      } else {
        Apply(migration, checksum);
      }
    });
    obs::Log(obs::Level::kInfo, "migration applied", {{"migration", migration.name}});
    return absl::OkStatus();
  }

  // Calls `apply`. If the lock of an SQL table is not free, lets other statements go on and tries
  // again. The last attempt throws the error.
  template <typename Work>
  void WhenFree(const char* name, const Work& apply) {
    for (int attempt = 1;; ++attempt) {
      try {
        return apply();
      } catch (const pqxx::sql_error& error) {
        if (error.sqlstate() != kLockTimeout || attempt >= options_.attempts_max) throw;
      } catch (const pqxx::deadlock_detected&) {
        if (attempt >= options_.attempts_max) throw;
      }
      obs::Log(obs::Level::kInfo, "migration waits for a lock", {{"migration", name}});
      pqxx::nontransaction(connection_)
          .exec_params("SELECT pg_sleep($1)", absl::ToDoubleSeconds(options_.pause));
    }
  }

  void Apply(const Migration& migration, const std::string& checksum) {
    pqxx::work tx(connection_);
    SetLockTimeout(tx);
    tx.exec(migration.sql);
    AddToLedger(tx, migration, checksum);
    tx.commit();
  }

  // There is no lock_timeout, because CREATE INDEX CONCURRENTLY waits for the ends of other
  // transactions, and no statement waits behind it.
  void ApplyOutsideTransaction(const Migration& migration, const std::string& checksum) {
    pqxx::nontransaction tx(connection_);
    for (const std::string& statement : StatementsOf(migration)) tx.exec(statement);
    AddToLedger(tx, migration, checksum);
  }

  void SetLockTimeout(pqxx::transaction_base& tx) {
    tx.exec0(absl::StrCat("SET LOCAL lock_timeout = ",
                          absl::ToInt64Milliseconds(options_.lock_timeout)));
  }

  void AddToLedger(pqxx::transaction_base& tx, const Migration& migration,
                   const std::string& checksum) {
    tx.exec_params0(absl::StrCat("INSERT INTO ", LedgerName(),
                                 " (version, name, checksum, oldest_program)"
                                 " VALUES ($1, $2, $3, $4)"),
                    migration.version, migration.name, checksum, OldestProgram(migration));
  }

  pqxx::connection& connection_;
  const std::string& schema_;
  const MigrateOptions& options_;
};

}  // namespace

absl::Status CheckVersion(const std::string& schema, const SchemaVersion& version, int known) {
  if (version.oldest_program > known) {
    return Error(absl::StatusCode::kFailedPrecondition, "SCHEMA_NEW",
                 absl::StrCat("The schema ", schema, " has version ", version.newest,
                              " and serves only programs of version ", version.oldest_program,
                              " or later. This program has version ", known, "."),
                 {{"schema", schema}});
  }
  if (version.newest < known) {
    return Error(absl::StatusCode::kUnavailable, "SCHEMA_OLD",
                 absl::StrCat("The schema ", schema, " has version ", version.newest,
                              ", and this program needs version ", known,
                              ". Run its --migrate_only with the role that owns the schema."),
                 {{"schema", schema}});
  }
  return absl::OkStatus();
}

absl::Status Migrate(const std::string& dsn, const std::string& schema,
                     const std::vector<Migration>& migrations, const MigrateOptions& options) {
  try {
    pqxx::connection connection(dsn);
    return Job(connection, schema, options).Run(migrations);
  } catch (const std::exception& e) {
    // The part DETAIL of Postgres's message quotes values of rows, which must not reach a log.
    const absl::string_view why = e.what();
    obs::Log(obs::Level::kError, "migration failed",
             {{"schema", schema}, {"why", why.substr(0, why.find("\nDETAIL:"))}});
    return StatusFromCurrentException();
  }
}

}  // namespace tarot::pg
