// Declares the list of finished deals. Deals whose logs are in Postgres come from rules.deals.
// Deals whose logs are only in the archive come from rules.archived_matches.
#pragma once

#include <pqxx/pqxx>
#include <vector>

#include "libs/pg/pool.h"
#include "services/rules/app/record_service.h"

namespace tarot::rules_service {

// The connections of the next function must have these statements.
std::vector<pg::Statement> DealIndexStatements();

// Returns the first statement of ListStoredDeals() for this query. The pool records the time of the
// whole call under the name of this statement.
const pg::Statement& StatementOf(const DealQuery& query);

// Returns the newest deals first. If the service drops a part of the log during this call, no deal
// is missing and no deal is there twice. Throws the exceptions of libpqxx.
std::vector<DealKey> ListStoredDeals(pqxx::transaction_base& tx, const DealQuery& query);

}  // namespace tarot::rules_service
