// Applies the missing migrations to a schema. There are no migrations back to an older version.
// Each migration is applied once, even if several jobs run at the same time.
//
// A schema serves the programs of its own version and of the version before. So a migration first
// only adds to the schema, and a later migration removes what no program uses any more. The later
// migration has the line "-- Oldest program: V0012", for example. It says that a program must know
// the migration V0012; programs that do not know it refuse to start on the schema.
//
// A migration with the line "-- Runs outside a transaction." may make an index CONCURRENTLY. The
// last line of each statement ends with ";", and each statement commits alone. After a failure, all
// statements run again, so each statement must work a second time too.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace tarot::pg {

struct Migration {
  int version;
  const char* name;  // The name of the file, for example V0001__create_tables.sql.
  const char* sql;
};

// How a migration waits for the lock of an SQL table. While the migration waits, all later
// statements on this SQL table wait behind it. So the migration gives up soon, lets these
// statements go on, and tries again.
struct MigrateOptions {
  // This time is less than Postgres's deadlock_timeout (1 s). So in a deadlock, the migration fails
  // and the other statement goes on.
  absl::Duration lock_timeout = absl::Milliseconds(500);
  absl::Duration pause = absl::Seconds(2);
  int attempts_max = 300;  // About twelve minutes.
};

// Applies the missing `migrations` to `schema`, each in its own transaction. An advisory lock lets
// only one job migrate the schema at a time. The role of `dsn` must own the schema, or have the
// right to create it. The SQL table <schema>.migrations has the applied versions, their checksums,
// and the oldest programs that these versions serve.
//
// If every attempt finds a lock that is not free, returns ABORTED STORAGE_CONFLICT. A later call
// then applies the rest. If a migration was changed after it was applied, returns
// FAILED_PRECONDITION MIGRATION_CHANGED. If the schema is too new for this program, applies nothing
// and returns FAILED_PRECONDITION SCHEMA_NEW. Other errors are those of
// StatusFromCurrentException().
absl::Status Migrate(const std::string& dsn, const std::string& schema,
                     const std::vector<Migration>& migrations, const MigrateOptions& options = {});

// The state of a schema, from its SQL table `migrations`. Versions are numbers of migrations.
struct SchemaVersion {
  int newest = 0;          // The newest migration that is applied.
  int oldest_program = 0;  // A program must know at least this migration.
};

// Returns OK if a program that has the migrations up to `known` can use `schema`. Returns
// UNAVAILABLE SCHEMA_OLD if a migration is missing, and FAILED_PRECONDITION SCHEMA_NEW if the
// schema serves only newer programs.
absl::Status CheckVersion(const std::string& schema, const SchemaVersion& version, int known);

}  // namespace tarot::pg
