// Brings a schema to its newest version: forward only, once, also when several replicas start.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace tarot::pg {

struct Migration {
  int version;
  const char* name;  // V0001__create_tables.sql
  const char* sql;
};

// Applies what is missing in `schema`, each file in its own transaction, under an advisory lock.
// Applied versions and their checksums are kept in <schema>.migrations; a changed file is refused
// with FAILED_PRECONDITION MIGRATION_CHANGED.
absl::Status Migrate(const std::string& dsn, const std::string& schema,
                     const std::vector<Migration>& migrations);

}  // namespace tarot::pg
