// One table in memory: the newest state of its log, its lock and its watchers.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "services/rules/app/table_state.h"

namespace tarot::rules_service {

// Gets the states of a table. Called from worker threads, for one table by one thread at a time. It
// must not wait: it keeps the newest state only. It shows no more of a state than `viewer` may see.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void Show(const std::shared_ptr<const TableState>& state, rules::Seat viewer) = 0;
  virtual void End(const absl::Status& status) = 0;
};

class Table;

// The right to change a table. One operation at a time has it; it moves between threads with the
// operation. Its destructor runs the operation that waits next, on that thread.
class TableLock {
 public:
  explicit TableLock(std::shared_ptr<Table> table) : table_(std::move(table)) {}
  TableLock(TableLock&&) noexcept = default;
  TableLock& operator=(TableLock&&) = delete;
  ~TableLock();

  Table& operator*() const { return *table_; }
  Table* operator->() const { return table_.get(); }

 private:
  std::shared_ptr<Table> table_;
};

// A change is decided, stored and published under one TableLock, so one change at a time is on its
// way. The snapshot is replaced after the commit only, so readers never wait.
class Table {
 public:
  // Operations that may wait for the lock: one a seat, and the server's own.
  static constexpr std::size_t kWaitingMax = 16;
  // Gets the lock, or the error.
  using Operation = absl::AnyInvocable<void(absl::StatusOr<TableLock>)>;

  // `known` holds the request of every log entry, in order.
  Table(TableState state, std::vector<RequestId> known)
      : requests(std::move(known)), state_(std::make_shared<TableState>(std::move(state))) {}

  // Runs `operation` now, on this thread, or in its turn on the thread of the operation before it.
  // RESOURCE_EXHAUSTED TABLE_BUSY when too many wait.
  static void Enter(std::shared_ptr<Table> table, Operation operation);

  std::shared_ptr<const TableState> Snapshot() const;

  // Replaces the snapshot and shows it to every watcher. A state of a lower revision ends the
  // streams with TABLE_SET_BACK instead: revisions on a stream only grow. Needs the lock.
  void Publish(std::shared_ptr<const TableState> state);

  // Adds a watcher and shows it the table, unless it knows this revision already. After the match
  // the stream ends.
  void AddWatcher(rules::Seat viewer, int after_revision, std::shared_ptr<Watcher> watcher);
  void RemoveWatcher(const Watcher* watcher);
  std::size_t watcher_count() const;

  // Ends every stream.
  void EndWatchers(const absl::Status& status);

  // Returns whether the log has an entry of `request`. Needs the lock.
  bool Knows(RequestId request) const;

  // The rest needs the lock.

  // The requests of the log, in order. `Knows` searches from the end, because a repeat comes soon;
  // a set would cost memory at every idle table.
  std::vector<RequestId> requests;
  // The memory may be behind the log, because a commit is unknown or another process wrote: load
  // the table again before use.
  bool stale = false;
  // The registry has forgotten this object: ask it for the table again.
  bool released = false;
  // A statement got no answer. No player could play, so clocks start anew at the next load.
  bool outage = false;
  // This replica plays the table: `on_changed` has been called for it. Needs no lock.
  std::atomic<bool> acquired = false;

 private:
  struct Entry {
    rules::Seat viewer;
    int known_revision;  // The watcher gets newer revisions only, also from a replica behind it.
    std::shared_ptr<Watcher> watcher;
  };

  friend class TableLock;
  static void Leave(std::shared_ptr<Table> table);

  std::mutex turn_mutex_;  // Guards the two below.
  bool locked_ = false;
  std::vector<Operation> waiting_;  // The oldest first; few.

  mutable std::mutex mutex_;  // Guards the two below.
  std::shared_ptr<const TableState> state_;
  std::list<Entry> watchers_;
};

}  // namespace tarot::rules_service
