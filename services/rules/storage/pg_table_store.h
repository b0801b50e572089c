// Stores tables, logs and finished deals in Postgres. Thread-safe: every call takes a connection of
// a pool. Appends have a pool of their own, so that no other statement delays them.
#pragma once

#include <optional>
#include <vector>

#include "libs/pg/pool.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

class PgTableStore final : public TableStore {
 public:
  // `pool` must have prepared Statements(), and `append_pool` AppendStatements() with
  // kAppendSession.
  PgTableStore(pg::Pool& pool, pg::Pool& append_pool) : pool_(pool), append_pool_(append_pool) {}

  static std::vector<pg::Statement> Statements();
  static std::vector<pg::Statement> AppendStatements();
  // With these settings plans are made once and never scan a whole table, even if the table had few
  // rows at that time.
  static constexpr char kAppendSession[] =
      "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;"
      " SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off";

  absl::StatusOr<bool> Create(const TableConfig& config) override;
  std::vector<absl::StatusOr<Appended>> Append(const std::vector<NewEntry>& entries) override;
  absl::StatusOr<StoredTable> Load(TableId table) override;
  absl::StatusOr<std::vector<StoredTable>> LoadMany(const std::vector<TableId>& tables) override;
  absl::StatusOr<std::vector<LiveTable>> ListLive(const std::optional<TableKey>& after,
                                                  int limit) override;
  absl::StatusOr<std::vector<TableKey>> ListTables(const TableQuery& query) override;
  absl::StatusOr<std::vector<DealKey>> ListDeals(const DealQuery& query) override;
  absl::StatusOr<std::vector<StoredDeal>> LoadDeals(const std::vector<DealKey>& deals) override;
  absl::StatusOr<std::vector<OutboxItem>> ListOutbox(int limit, int offset) override;
  absl::Status MarkDelivered(TableId table, OutboxTarget target) override;

 private:
  pg::Pool& pool_;
  pg::Pool& append_pool_;
};

// Reads one table in the caller's transaction, for programs that check a whole database. Returns
// nullopt when there is no such table. Throws the exceptions of libpqxx.
std::optional<StoredTable> ReadTable(pqxx::transaction_base& tx, TableId table);

}  // namespace tarot::rules_service
