// Tables, logs and finished deals in Postgres. Thread-safe: every call takes a connection of the
// pool.
#pragma once

#include <vector>

#include "libs/pg/pool.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

class PgTableStore final : public TableStore {
 public:
  // `pool` was made with Statements().
  explicit PgTableStore(pg::Pool& pool) : pool_(pool) {}

  static std::vector<pg::Statement> Statements();

  absl::Status Create(const TableConfig& config) override;
  absl::StatusOr<Appended> Append(const NewEntry& entry) override;
  absl::StatusOr<StoredTable> Load(TableId table) override;
  absl::StatusOr<std::vector<TableId>> ListLive() override;
  absl::StatusOr<std::vector<TableKey>> ListTables(const TableQuery& query) override;
  absl::StatusOr<StoredDeal> LoadDeal(TableId table, int number) override;
  absl::StatusOr<std::vector<DealKey>> ListDeals(const DealQuery& query) override;
  absl::StatusOr<std::vector<OutboxItem>> ListOutbox(int limit) override;
  absl::Status MarkDelivered(TableId table, OutboxTarget target) override;

 private:
  pg::Pool& pool_;
};

}  // namespace tarot::rules_service
