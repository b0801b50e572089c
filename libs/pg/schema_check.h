// Says whether a service can start on its database: whether the database answers, and whether the
// job (--migrate_only) has brought the schema to a version that the service can use.
#pragma once

#include <prometheus/registry.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "libs/pg/migrate.h"
#include "libs/pg/pool.h"

namespace tarot::pg {

// Keeps one connection. Every wait has a time limit, see Pool. Thread-safe.
class SchemaCheck {
 public:
  // `service` is the name of the service and of its schema. The service needs the last migration in
  // `migrations`. If there are none, the schema need not exist.
  SchemaCheck(const std::string& dsn, const std::string& service,
              const std::vector<Migration>& migrations, prometheus::Registry& registry);

  // Returns OK if the schema has the version that the service needs, or a later one that also
  // serves this program. If not, returns the error of CheckVersion or of Pool::With.
  absl::Status Check();

 private:
  const std::string service_;
  const int known_;
  const std::string statement_name_;
  const std::string sql_;
  Pool pool_;
};

// Returns a function for rpc::RunService. The function makes a SchemaCheck at its first call, and
// returns the result of SchemaCheck::Check() at each call.
std::function<absl::Status(prometheus::Registry& registry)> CheckSchema(
    const std::string& dsn, const std::string& service, const std::vector<Migration>& migrations);

}  // namespace tarot::pg
