// All matches that a rules service keeps, read in one transaction: for programs that compare them
// with other sources.
#pragma once

#include <map>
#include <pqxx/pqxx>

#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// Reads schema rules whole, so only for small databases of tests. Throws pqxx's exceptions.
std::map<TableId, StoredTable> ReadMatches(pqxx::transaction_base& transaction);

}  // namespace tarot::rules_service
