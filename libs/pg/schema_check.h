// Says whether the database of a service can be used.
#pragma once

#include <prometheus/registry.h>

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "libs/pg/pool.h"

namespace tarot::pg {

// Keeps one connection. Every wait has a time limit, see Pool. Thread-safe.
class SchemaCheck {
 public:
  SchemaCheck(const std::string& dsn, const std::string& service, prometheus::Registry& registry);

  // Returns OK if the database answers. If it does not, returns the error of Pool::With.
  absl::Status Check();

 private:
  const std::string name_;
  const std::string sql_;
  Pool pool_;
};

// Returns a function for rpc::RunService that makes a SchemaCheck at its first call, and checks.
std::function<absl::Status(prometheus::Registry& registry)> CheckSchema(const std::string& dsn,
                                                                        const std::string& service);

}  // namespace tarot::pg
