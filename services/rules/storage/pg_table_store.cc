#include "services/rules/storage/pg_table_store.h"

#include <climits>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/rules/parameters/parameters.h"
#include "services/rules/storage/append_batch.h"
#include "services/rules/storage/rows.h"
#include "services/rules/storage/sql_array.h"
#include "services/rules/storage/statements.h"

namespace tarot::rules_service {
namespace {

absl::Status TableNotFound() {
  return Error(absl::StatusCode::kNotFound, "TABLE_NOT_FOUND", "There is no such table.");
}

// libpqxx takes a null pointer for NULL.
const char* OrNull(const std::optional<std::string>& value) {
  return value ? value->c_str() : nullptr;
}

StoredTable LoadConfig(pqxx::nontransaction& tx, TableId table) {
  const pqxx::result rows = tx.exec_prepared(kGetTable.name, table.ToString());
  StoredTable stored;
  if (rows.empty()) return stored;
  stored.config = ConfigFromRows(table, rows, 0, rows.size());
  stored.end = EndFromRow(rows[0]);
  return stored;
}

// Where the two statements of LoadMany name the table.
constexpr int kTableColumn = 11;
constexpr int kActionTableColumn = 8;

std::vector<LogEntry> LoadLog(pqxx::nontransaction& tx, TableId table, int first, int last) {
  std::vector<LogEntry> log;
  const pqxx::result rows = tx.exec_prepared(kListActions.name, table.ToString(), first, last);
  for (const pqxx::row& row : rows) log.push_back(EntryFromRow(row));
  return log;
}

TableId IdFrom(const pqxx::field& field) {
  return TableId::Parse(field.c_str()).value_or(TableId{});
}

// By table, without their logs. One whose rule set cannot be read is left out.
absl::flat_hash_map<TableId, StoredTable> LoadConfigs(pqxx::nontransaction& tx,
                                                      const std::string& tables) {
  absl::flat_hash_map<TableId, StoredTable> stored;
  const pqxx::result rows = tx.exec_prepared(kGetTables.name, tables);
  for (pqxx::result::size_type begin = 0, end = 0; begin < rows.size(); begin = end) {
    const TableId table = IdFrom(rows[begin][kTableColumn]);
    while (end < rows.size() && IdFrom(rows[end][kTableColumn]) == table) ++end;
    try {
      stored[table].config = ConfigFromRows(table, rows, begin, end);
      stored[table].end = EndFromRow(rows[begin]);
    } catch (const std::runtime_error&) {
      stored.erase(table);
    }
  }
  return stored;
}

}  // namespace

std::vector<pg::Statement> PgTableStore::Statements() {
  return {kCreateTable,         kGetTable,         kListActions,    kListTables,
          kListOpenTables,      kListPlayerTables, kListLiveTables, kGetTables,
          kListActionsOfTables, kGetDeal,          kListDeals,      kListTableDeals,
          kListPlayerDeals,     kListOutbox,       kDeleteOutbox};
}

absl::Status PgTableStore::Create(const TableConfig& c) {
  std::vector<std::string> players, names, levels;
  for (const SeatConfig& seat : c.seats) {
    players.push_back(seat.player.ToString());
    names.push_back(seat.display_name);
    levels.push_back(seat.bot_level);
  }
  std::optional<std::string> seed;  // In Postgres's hex form.
  if (c.first_seed) {
    const std::string bytes(c.first_seed->begin(), c.first_seed->end());
    seed = absl::StrCat("\\x", absl::BytesToHexString(bytes));
  }
  return pool_.With(kCreateTable, [&](pqxx::connection& connection) -> absl::Status {
    pqxx::nontransaction tx(connection);
    const pqxx::result made = tx.exec_prepared(
        kCreateTable.name, c.id.ToString(), c.rule_set, c.deal_count,
        absl::ToInt64Milliseconds(c.move_limit), absl::ToInt64Milliseconds(c.time_bank), c.ranked,
        SqlTime(c.create_time), SqlTexts(players), SqlTexts(names), SqlTexts(levels),
        rules::EncodeRuleSet(c.rules), OrNull(seed));
    if (made.affected_rows() > 0) return absl::OkStatus();
    if (LoadConfig(tx, c.id).config.SameRequest(c)) return absl::OkStatus();
    return Error(absl::StatusCode::kAlreadyExists, "TABLE_EXISTS",
                 "A table of that name was made by another request.");
  });
}

std::vector<absl::StatusOr<Appended>> PgTableStore::Append(const std::vector<NewEntry>& entries) {
  using Results = std::vector<absl::StatusOr<Appended>>;
  const auto append = [&](pqxx::connection& connection) -> absl::StatusOr<Results> {
    return AppendBatch(connection, entries);
  };
  absl::StatusOr<Results> results = append_pool_.With(AppendStatement(entries), append);
  if (results.ok()) return *std::move(results);
  // Away: in doubt, all of them. Anything else stored nothing, and may be the fault of one entry,
  // which must not fail its neighbours.
  if (entries.size() == 1 || absl::IsUnavailable(results.status())) {
    return Results(entries.size(), results.status());
  }
  Results each;
  for (const NewEntry& entry : entries) {
    // Gone away meanwhile: the others must not wait for each of the rest.
    const bool away = !each.empty() && absl::IsUnavailable(each.back().status());
    each.push_back(away ? each.back() : Append({entry})[0]);
  }
  return each;
}

absl::StatusOr<StoredTable> PgTableStore::Load(TableId table) {
  return pool_.With(kListActions, [&](pqxx::connection& connection) -> absl::StatusOr<StoredTable> {
    pqxx::nontransaction tx(connection);
    StoredTable stored = LoadConfig(tx, table);
    if (stored.config.id.empty()) return TableNotFound();
    stored.log = LoadLog(tx, table, 1, INT_MAX);
    return stored;
  });
}

absl::StatusOr<std::vector<StoredTable>> PgTableStore::LoadMany(
    const std::vector<TableId>& tables) {
  SqlArray ids;
  for (const TableId table : tables) ids.AddId(table);
  const std::string array = std::move(ids).Finish();
  return pool_.With(
      kListActionsOfTables,
      [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<StoredTable>> {
        pqxx::nontransaction tx(connection);
        absl::flat_hash_map<TableId, StoredTable> stored = LoadConfigs(tx, array);
        for (const pqxx::row& row : tx.exec_prepared(kListActionsOfTables.name, array)) {
          const auto table = stored.find(IdFrom(row[kActionTableColumn]));
          if (table != stored.end()) table->second.log.push_back(EntryFromRow(row));
        }
        std::vector<StoredTable> in_order;
        for (const TableId table : tables) {
          const auto found = stored.find(table);
          if (found != stored.end()) in_order.push_back(std::move(found->second));
        }
        return in_order;
      });
}

absl::StatusOr<std::vector<LiveTable>> PgTableStore::ListLive(const std::optional<TableKey>& after,
                                                              int limit) {
  const TableKey from = after.value_or(TableKey{.create_time = absl::InfiniteFuture()});
  return pool_.With(
      kListLiveTables, [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<LiveTable>> {
        pqxx::nontransaction tx(connection);
        std::vector<LiveTable> live;
        for (const pqxx::row& row : tx.exec_prepared(
                 kListLiveTables.name, SqlTime(from.create_time), from.table.ToString(), limit)) {
          live.push_back({.key = {.table = IdFrom(row[0]),
                                  .create_time = TimeFromEpoch(row[1].as<std::string>())},
                          .revision = row[2].as<int>()});
        }
        return live;
      });
}

absl::StatusOr<std::vector<TableKey>> PgTableStore::ListTables(const TableQuery& q) {
  const TableKey after = q.after.value_or(TableKey{.create_time = absl::InfiniteFuture()});
  const std::string time = SqlTime(after.create_time);
  const std::string id = after.table.ToString();
  const pg::Statement& statement = q.player          ? kListPlayerTables
                                   : q.show_finished ? kListTables
                                                     : kListOpenTables;
  return pool_.With(
      statement, [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<TableKey>> {
        pqxx::nontransaction tx(connection);
        const pqxx::result rows = q.player ? tx.exec_prepared(statement.name, time, id, q.limit,
                                                              q.player->ToString(), q.show_finished)
                                           : tx.exec_prepared(statement.name, time, id, q.limit);
        std::vector<TableKey> keys;
        for (const pqxx::row& row : rows) {
          keys.push_back({.table = TableId::Parse(row[0].c_str()).value_or(TableId{}),
                          .create_time = TimeFromEpoch(row[1].as<std::string>())});
        }
        return keys;
      });
}

absl::StatusOr<StoredDeal> PgTableStore::LoadDeal(TableId table, int number) {
  return pool_.With(kGetDeal, [&](pqxx::connection& connection) -> absl::StatusOr<StoredDeal> {
    pqxx::nontransaction tx(connection);
    const pqxx::result rows = tx.exec_prepared(kGetDeal.name, table.ToString(), number);
    if (rows.empty()) {
      return Error(absl::StatusCode::kNotFound, "RECORD_NOT_FOUND", "There is no such deal.");
    }
    StoredDeal stored{.key = {.table = table,
                              .number = number,
                              .finish_time = TimeFromEpoch(rows[0][2].as<std::string>())}};
    stored.config = LoadConfig(tx, table).config;
    stored.log = LoadLog(tx, table, rows[0][0].as<int>(), rows[0][1].as<int>());
    return stored;
  });
}

absl::StatusOr<std::vector<DealKey>> PgTableStore::ListDeals(const DealQuery& q) {
  std::optional<std::string> table;
  if (q.table) table = q.table->ToString();
  const DealKey after = q.after.value_or(DealKey{.finish_time = absl::InfiniteFuture()});
  const pg::Statement& statement = q.player  ? kListPlayerDeals
                                   : q.table ? kListTableDeals
                                             : kListDeals;
  return pool_.With(
      statement, [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<DealKey>> {
        pqxx::nontransaction tx(connection);
        const auto run = [&](const auto&... more) {
          return tx.exec_prepared(statement.name, SqlTime(q.start_time), SqlTime(q.end_time),
                                  SqlTime(after.finish_time), after.table.ToString(), after.number,
                                  q.limit, more...);
        };
        const pqxx::result rows = q.player  ? run(q.player->ToString(), OrNull(table))
                                  : q.table ? run(*table)
                                            : run();
        std::vector<DealKey> keys;
        for (const pqxx::row& row : rows) {
          keys.push_back({.table = TableId::Parse(row[0].c_str()).value_or(TableId{}),
                          .number = row[1].as<int>(),
                          .finish_time = TimeFromEpoch(row[2].as<std::string>())});
        }
        return keys;
      });
}

absl::StatusOr<std::vector<OutboxItem>> PgTableStore::ListOutbox(int limit, int offset) {
  return pool_.With(
      kListOutbox, [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<OutboxItem>> {
        pqxx::nontransaction tx(connection);
        std::vector<OutboxItem> items;
        for (const pqxx::row& row : tx.exec_prepared(kListOutbox.name, limit, offset)) {
          const TableId table = TableId::Parse(row[0].c_str()).value_or(TableId{});
          items.push_back({.config = LoadConfig(tx, table).config,
                           .target = static_cast<OutboxTarget>(row[1].as<int>()),
                           .end = {.deals_scored = row[2].as<int>(),
                                   .totals = IntsFromSql(row[3].as<std::string>())},
                           .finish_time = TimeFromEpoch(row[4].as<std::string>())});
        }
        return items;
      });
}

absl::Status PgTableStore::MarkDelivered(TableId table, OutboxTarget target) {
  return pool_.With(kDeleteOutbox, [&](pqxx::connection& connection) -> absl::Status {
    pqxx::nontransaction(connection)
        .exec_prepared(kDeleteOutbox.name, table.ToString(), static_cast<int>(target));
    return absl::OkStatus();
  });
}

}  // namespace tarot::rules_service
