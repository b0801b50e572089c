#include "libs/pg/schema_check.h"

#include <memory>

#include "absl/strings/str_cat.h"

namespace tarot::pg {
namespace {

// A database that works answers within milliseconds. If a database is frozen, the watchdog
// cuts its connection two seconds after this time.
constexpr absl::Duration kStatementTimeout = absl::Seconds(1);

}  // namespace

SchemaCheck::SchemaCheck(const std::string& dsn, const std::string& service,
                         const std::vector<Migration>& migrations, prometheus::Registry& registry)
    : service_(service),
      known_(migrations.empty() ? 0 : migrations.back().version),
      statement_name_(absl::StrCat(service, "_find_migrations")),
      // Older versions made the SQL table `migrations` without this column.
      sql_(absl::StrCat("SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('",
                        service, ".migrations') AND attname = 'oldest_program')")),
      pool_({.dsn = dsn,
             .connections = 1,
             .statement_timeout = kStatementTimeout,
             .application_name = absl::StrCat("tarot-", service, "-check")},
            {{statement_name_.c_str(), sql_.c_str()}}, registry) {}

absl::Status SchemaCheck::Check() {
  const Statement statement = {statement_name_.c_str(), sql_.c_str()};
  return pool_.With(statement, [&](pqxx::connection& connection) {
    pqxx::nontransaction tx(connection);
    const bool migrated = tx.exec_prepared1(statement.name)[0].as<bool>();
    if (known_ == 0) return absl::OkStatus();
    SchemaVersion version;
    if (migrated) {
      const pqxx::row row = tx.exec1(
          absl::StrCat("SELECT coalesce(max(version), 0), coalesce(max(oldest_program), 0) FROM ",
                       service_, ".migrations"));
      version = {row[0].as<int>(), row[1].as<int>()};
    }
    return CheckVersion(service_, version, known_);
  });
}

std::function<absl::Status(prometheus::Registry& registry)> CheckSchema(
    const std::string& dsn, const std::string& service, const std::vector<Migration>& migrations) {
  return [=, check = std::shared_ptr<SchemaCheck>()](prometheus::Registry& registry) mutable {
    if (check == nullptr) {
      check = std::make_shared<SchemaCheck>(dsn, service, migrations, registry);
    }
    return check->Check();
  };
}

}  // namespace tarot::pg
