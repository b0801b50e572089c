// Declares the appender for group commit: one SQL statement stores all entries that wait, even if
// they belong to different tables.
#pragma once

#include <deque>
#include <mutex>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/worker_pool.h"
#include "libs/base/write_batch.h"
#include "services/rules/app/table_store.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

struct GroupAppenderOptions {
  int batches_max = 2;  // Maximum number of statements that run at the same time. Each statement
                        // uses one connection.
  int batch_rows_max = 256;
  int queue_rows_max = 16'384;
  // While a statement runs, new entries wait until this statement has ended. Then the next
  // statement stores all of them. If an entry has waited this long and fewer than batches_max
  // statements run, another statement begins.
  absl::Duration linger_max = absl::Milliseconds(2);
};

// If no statement runs, stores a new entry at once, or at the end of the thread's WriteBatch.
// Entries that come while a statement runs wait, and the next statement stores them together.
// Thread-safe. `threads` run the statements and the
// `done` callbacks; there must be at least `batches_max` threads. To end the appender, stop the
// scheduler and then `threads`.
class GroupAppender final : private BatchedWriter {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<Appended>)>;

  GroupAppender(TableStore& store, WorkerPool& threads, Clock& clock, Scheduler& scheduler,
                Metrics& metrics, GroupAppenderOptions options);

  // Stores an entry. Calls `done` once, on one of `threads`, with the result of TableStore::Append.
  // If too many entries wait or the threads have stopped, the entry is not stored. Then `done` gets
  // RESOURCE_EXHAUSTED, perhaps on a thread that is not one of `threads`. Never waits.
  void Append(NewEntry entry, Done done);

 private:
  struct Waiting {
    NewEntry entry;
    Done done;
    absl::Time since;
  };
  struct Batch {
    std::vector<NewEntry> entries;
    std::vector<Done> done;
  };

  // Begins a statement, or sets the timer for the next one.
  void WriteWaiting() override;
  void Begin();  // The caller must count the new batch in `running_` before this call.
  void Run();
  Batch Take();
  void OnTimer();
  void RefuseAll();

  TableStore& store_;
  WorkerPool& threads_;
  Clock& clock_;
  Scheduler& scheduler_;
  Metrics& metrics_;
  const GroupAppenderOptions options_;

  std::mutex mutex_;
  std::deque<Waiting> queue_;
  // The number of batches whose statement has begun and has no result yet.
  int running_ = 0;
  bool timer_set_ = false;
};

}  // namespace tarot::rules_service
