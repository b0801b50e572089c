#include "libs/pg/schema_check.h"

#include <memory>

#include "absl/strings/str_cat.h"

namespace tarot::pg {
namespace {

// A database that works answers SELECT 1 within milliseconds. If a database is frozen, the watchdog
// cuts its connection two seconds after this time.
constexpr absl::Duration kStatementTimeout = absl::Seconds(1);

}  // namespace

SchemaCheck::SchemaCheck(const std::string& dsn, const std::string& service,
                         prometheus::Registry& registry)
    : name_(absl::StrCat(service, "_check_schema")),
      sql_("SELECT 1"),
      pool_({.dsn = dsn,
             .connections = 1,
             .statement_timeout = kStatementTimeout,
             .application_name = absl::StrCat("tarot-", service, "-check")},
            {{name_.c_str(), sql_.c_str()}}, registry) {}

absl::Status SchemaCheck::Check() {
  const Statement statement = {name_.c_str(), sql_.c_str()};
  return pool_.With(statement, [&](pqxx::connection& connection) {
    pqxx::nontransaction(connection).exec_prepared(statement.name);
    return absl::OkStatus();
  });
}

std::function<absl::Status(prometheus::Registry& registry)> CheckSchema(
    const std::string& dsn, const std::string& service) {
  return [dsn, service,
          check = std::shared_ptr<SchemaCheck>()](prometheus::Registry& registry) mutable {
    if (check == nullptr) check = std::make_shared<SchemaCheck>(dsn, service, registry);
    return check->Check();
  };
}

}  // namespace tarot::pg
