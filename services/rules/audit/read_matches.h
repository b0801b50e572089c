// Reads all matches that a rules service keeps in one transaction, for programs that compare them
// with other sources.
#pragma once

#include <map>
#include <pqxx/pqxx>

#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// Reads the whole schema `rules`, so use it only for small databases of tests. Throws the
// exceptions of pqxx.
std::map<TableId, StoredTable> ReadMatches(pqxx::transaction_base& transaction);

}  // namespace tarot::rules_service
