// Declares the lookup that finds out which tables exist. One statement answers many calls, so calls
// about tables that do not exist cost little.
#pragma once

#include <mutex>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "libs/base/clock.h"
#include "libs/base/ids.h"
#include "libs/base/worker_pool.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// Thread-safe. Remembers no answer, so a table is found as soon as it is stored. `scheduler` must
// stop before this object is destroyed.
class TableLookup {
 public:
  using Done = absl::AnyInvocable<void(const absl::Status&)>;

  TableLookup(TableStore& store, WorkerPool& workers, Scheduler& scheduler)
      : store_(store), workers_(workers), scheduler_(scheduler) {}

  // Calls `done` once. The result is OK if the table exists and NOT_FOUND TABLE_NOT_FOUND if it
  // does not. The result can also be an error of the store. If too many calls wait, the result is
  // UNAVAILABLE OVERLOADED, and `done` may be called on the caller's thread. Statements begin at
  // least kLookupPause apart, and calls that come in this pause share the next statement.
  void Check(TableId table, Done done);

 private:
  struct Waiting {
    TableId table;
    Done done;
  };

  void Begin();
  void Run();  // Runs one statement, on a worker.
  void AfterPause();

  TableStore& store_;
  WorkerPool& workers_;
  Scheduler& scheduler_;
  std::mutex mutex_;
  std::vector<Waiting> waiting_;
  bool busy_ = false;  // True from the start of a statement to the end of the pause.
};

}  // namespace tarot::rules_service
