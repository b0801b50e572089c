// Rows of Postgres to domain values and back: what only storage/ needs to know.
#pragma once

#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// timestamptz has microseconds: times are cut to them before they are stored, so that what was
// written reads back equal.
std::string SqlTime(absl::Time time);  // "2026-11-21T01:02:03.000004+00:00", or infinity.
absl::Time TimeFromEpoch(const std::string& seconds);  // "1795222923.000004"

// "{"a","b"}".
std::string SqlTexts(const std::vector<std::string>& values);
std::vector<int> IntsFromSql(const std::string& array);

// Of kListActions, or kListActionsOfTables: by the places of the columns, for there are many rows.
LogEntry EntryFromRow(const pqxx::row& row);
// The rows `begin` to `end` of kGetTable, or kGetTables, are the seats of `table`.
TableConfig ConfigFromRows(TableId table, const pqxx::result& rows, pqxx::result::size_type begin,
                           pqxx::result::size_type end);

// Of a row of either; nothing while the match is not over.
std::optional<MatchEnd> EndFromRow(const pqxx::row& row);

}  // namespace tarot::rules_service
