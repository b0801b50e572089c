// Lists finished deals: first those whose logs are in Postgres, from rules.deals, and then those
// whose logs are only in the archive, from rules.archived_matches.
#pragma once

#include <pqxx/pqxx>
#include <vector>

#include "libs/pg/pool.h"
#include "services/rules/app/record_service.h"

namespace tarot::rules_service {

// The connections of the next function must have these statements.
std::vector<pg::Statement> DealIndexStatements();

// Returns the statement under whose name the pool measures ListStoredDeals().
const pg::Statement& StatementOf(const DealQuery& query);

// Returns the newest deals first. If the service drops a part of the log meanwhile, no deal is
// missing and none is there twice. Throws the exceptions of libpqxx.
std::vector<DealKey> ListStoredDeals(pqxx::transaction_base& tx, const DealQuery& query);

}  // namespace tarot::rules_service
