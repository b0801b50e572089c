// One table in memory: a cache of its log, and who watches it.
#pragma once

#include <list>
#include <memory>
#include <mutex>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "services/rules/app/table_state.h"
#include "services/rules/app/table_view.h"

namespace tarot::rules_service {

// Who gets the views of a table. Called from worker threads, one at a time a table, and must not
// wait: it keeps only the newest view.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void Show(const TableView& view) = 0;
  virtual void End(const absl::Status& status) = 0;
};

// Locks: `write` is held over a change and its commit, so one action at a time is decided on; the
// snapshot behind it is replaced only after the commit, so readers never wait for Postgres.
class Table {
 public:
  Table(TableState state, absl::flat_hash_set<RequestId> known)
      : requests(std::move(known)), state_(std::make_shared<TableState>(std::move(state))) {}

  std::shared_ptr<const TableState> Snapshot() const;

  // Replaces the snapshot and shows it to every watcher. Needs `write`.
  void Publish(TableState state);

  // Adds a watcher and shows it the table, unless it knows this revision already. After the match
  // the stream ends.
  void AddWatcher(rules::Seat viewer, int after_revision, std::shared_ptr<Watcher> watcher);
  void RemoveWatcher(const Watcher* watcher);
  std::size_t watcher_count() const;

  // Ends every stream.
  void EndWatchers(const absl::Status& status);

  std::mutex write;
  // Guarded by `write`: every request in the log.
  absl::flat_hash_set<RequestId> requests;
  // Guarded by `write`: a commit is in doubt, or another process wrote. Load again before use.
  bool stale = false;

 private:
  struct Entry {
    rules::Seat viewer;
    std::shared_ptr<Watcher> watcher;
  };

  mutable std::mutex mutex_;
  std::shared_ptr<const TableState> state_;
  std::list<Entry> watchers_;
};

}  // namespace tarot::rules_service
