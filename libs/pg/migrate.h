// Applies the missing migrations to a schema. There are no migrations back to an older version.
// Each migration is applied once, even if several replicas start at the same time.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace tarot::pg {

struct Migration {
  int version;
  const char* name;  // The name of the file, for example V0001__create_tables.sql.
  const char* sql;
};

// Applies the missing `migrations` to `schema`, each in its own transaction. An advisory lock keeps
// other replicas from migrating the same schema at the same time. The SQL table <schema>.migrations
// has the applied versions and their checksums. If a migration was changed after it was applied,
// returns FAILED_PRECONDITION MIGRATION_CHANGED. Other errors are those of
// StatusFromCurrentException().
//
// If a migration does not get a lock within a second, it lets other statements go on. Then it is
// tried again, for up to 90 seconds.
absl::Status Migrate(const std::string& dsn, const std::string& schema,
                     const std::vector<Migration>& migrations);

}  // namespace tarot::pg
