// Group commit: entries that wait at the same moment are stored by one statement, whatever their
// tables.
#pragma once

#include <deque>
#include <mutex>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/worker_pool.h"
#include "services/rules/app/table_store.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

struct GroupAppenderOptions {
  int batches_max = 2;  // Statements that run at once: connections to the store.
  int batch_rows_max = 256;
  int queue_rows_max = 16'384;
  // An entry that finds a statement running waits for it, to be stored with others that come
  // meanwhile; after this long a second statement is begun, if there may be one.
  absl::Duration company_wait_max = absl::Milliseconds(2);
};

// Who comes first is stored at once; those who come while that statement runs are the next batch.
// Thread-safe. `threads` run the statements and tell the outcomes: at least `batches_max` of them.
// To end it, stop the scheduler and then `threads`.
class GroupAppender {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<Appended>)>;

  GroupAppender(TableStore& store, WorkerPool& threads, Clock& clock, Scheduler& scheduler,
                Metrics& metrics, GroupAppenderOptions options);

  // Calls `done` once, when it is known what became of `entry`: as TableStore::Append, on one of
  // `threads`; or at once with RESOURCE_EXHAUSTED, and nothing stored, when too many wait or the
  // threads have stopped. Never waits.
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

  void Begin();  // Has been counted in `running_`.
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
  int running_ = 0;  // Batches begun and not yet answered.
  bool timer_set_ = false;
};

}  // namespace tarot::rules_service
