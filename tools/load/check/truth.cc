#include "tools/load/check/truth.h"

#include <pqxx/pqxx>

#include "services/rules/audit/audit_tables.h"

namespace tarot::check {

absl::StatusOr<Truth> ReadTruth(const std::string& dsn) {
  try {
    pqxx::connection connection(dsn);
    pqxx::transaction<pqxx::repeatable_read, pqxx::read_only> transaction(connection);
    Truth truth;
    truth.tables = rules_service::ReadMatches(transaction);
    for (const auto& [table, stored] : truth.tables) {
      if (stored.end) truth.finished[table] = {stored.config.ranked, *stored.end};
    }
    truth.ratings = ratings_service::ReadLedger(transaction);
    return truth;
  } catch (const std::exception& error) {
    return absl::UnavailableError(error.what());
  }
}

}  // namespace tarot::check
