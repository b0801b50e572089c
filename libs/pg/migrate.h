// Brings a schema to its newest version. Versions only go forward. Each version is applied once,
// even if several replicas start at the same time.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace tarot::pg {

struct Migration {
  int version;
  const char* name;  // The file's name, for example V0001__create_tables.sql.
  const char* sql;
};

// Applies the missing files to `schema`, each in its own transaction, under an advisory lock. Keeps
// the applied versions and their checksums in <schema>.migrations. Refuses a changed file with
// FAILED_PRECONDITION MIGRATION_CHANGED.
absl::Status Migrate(const std::string& dsn, const std::string& schema,
                     const std::vector<Migration>& migrations);

}  // namespace tarot::pg
