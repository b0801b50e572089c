// The store in memory, for unit tests and simulation. It keeps domain values. One contract test
// checks it and PgTableStore (services/rules/testing/table_store_contract.h).
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

class FakeTableStore : public TableStore {
 public:
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

  // The failure of the next Append, for every entry. Only kStoredButUnanswered stores the entries.
  enum class Fault {
    kNone,
    kLost,                 // Answers UNAVAILABLE.
    kStoredButUnanswered,  // Answers UNAVAILABLE.
    kSlow,                 // Answers DEADLINE_EXCEEDED.
    kConflict,             // Answers ABORTED.
  };
  void FailNextAppend(Fault fault) {
    const std::lock_guard lock(mutex_);
    fault_ = fault;
  }

  // Loses the last entries of a log, or a whole table, like a failover to a standby that is behind.
  void LoseEntries(TableId table, std::size_t entries);
  void LoseTable(TableId table);

 private:
  struct Stored {
    StoredTable table;
    absl::Time finish_time = absl::InfiniteFuture();
  };
  struct EndedDeal {
    DealKey key;
    int first_revision = 0;
    int last_revision = 0;
    std::vector<PlayerId> players;
  };

  // `before` is the length of the table's log before the batch.
  absl::StatusOr<Appended> Insert(const NewEntry& entry, std::size_t before);

  std::mutex mutex_;
  std::map<TableId, Stored> tables_;
  std::vector<EndedDeal> deals_;
  std::vector<std::pair<TableId, OutboxTarget>> outbox_;
  Fault fault_ = Fault::kNone;
};

}  // namespace tarot::rules_service
