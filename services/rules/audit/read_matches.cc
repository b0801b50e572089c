#include "services/rules/audit/read_matches.h"

#include <utility>

#include "services/rules/storage/pg_table_store.h"

namespace tarot::rules_service {

std::map<TableId, StoredTable> ReadMatches(pqxx::transaction_base& transaction) {
  std::map<TableId, StoredTable> tables;
  for (const pqxx::row& row : transaction.exec("SELECT table_id FROM rules.tables")) {
    const TableId table = TableId::Parse(row[0].c_str()).value_or(TableId{});
    auto stored = ReadTable(transaction, table);
    if (stored) tables[table] = *std::move(stored);
  }
  return tables;
}

}  // namespace tarot::rules_service
