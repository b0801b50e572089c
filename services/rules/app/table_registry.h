// The tables in memory: loaded on a miss, forgotten when over, bounded.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "services/rules/app/table.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// Thread-safe.
class TableRegistry {
 public:
  // Nobody's clock runs before `clocks_start`: the time that no server was there is not the
  // players'.
  TableRegistry(TableStore& store, int tables_max, absl::Time clocks_start = absl::InfinitePast())
      : store_(store),
        tables_max_(static_cast<std::size_t>(tables_max)),
        clocks_start_(clocks_start) {}

  // From memory, or from the log. NOT_FOUND TABLE_NOT_FOUND; RESOURCE_EXHAUSTED TABLES_FULL;
  // UNAVAILABLE from the store.
  absl::StatusOr<std::shared_ptr<Table>> Get(TableId id);

  // Brings a stale table up to its log. Needs the hold. Watchers see what they missed.
  absl::Status Reload(Table& table);

  // Forgets tables whose match was over before `time` and that nobody watches.
  void ForgetFinishedBefore(absl::Time time);

  // RESOURCE_EXHAUSTED TABLES_FULL when one more table would not fit.
  absl::Status CheckRoom(TableId id) const;

  // Ends every stream, so that its client connects anew: this process is stopping.
  void EndWatchers();
  bool ending() const { return ending_; }
  static absl::Status Ending();  // What they are told: UNAVAILABLE SHUTTING_DOWN.

  // Of tables in play: how many, and how many watchers in all.
  struct Counts {
    std::size_t dealing = 0;
    std::size_t playing = 0;
    std::size_t watchers = 0;
  };
  Counts Count() const;

 private:
  TableStore& store_;
  const std::size_t tables_max_;
  const absl::Time clocks_start_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<TableId, std::shared_ptr<Table>> tables_;
  std::atomic<bool> ending_ = false;
};

}  // namespace tarot::rules_service
