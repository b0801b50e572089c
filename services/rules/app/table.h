// Declares one table in memory: the newest state of its log, its lock and its watchers.
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

// Gets the new states of a table. The functions may be called on any thread, but never on two
// threads at once for the same table. The functions must not wait. A watcher must not show more of
// a state than `viewer` may see.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void Show(const std::shared_ptr<const TableState>& state, rules::Seat viewer) = 0;
  virtual void End(const absl::Status& status) = 0;
};

class Table;

// The right to change a table. Only one operation at a time has the right. If an operation
// continues on another thread, the TableLock moves to that thread. The destructor gives the right
// to the next waiting operation, and runs this operation on the current thread.
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

// A table in memory. The operation that holds the TableLock decides on a change, stores it and
// publishes it. So only one change at a time is in progress. Readers use the snapshot of the last
// commit, so they never wait for a change.
class Table {
 public:
  // A function that gets the lock. If too many operations wait for the lock, the function gets
  // TABLE_BUSY.
  using Operation = absl::AnyInvocable<void(absl::StatusOr<TableLock>)>;

  // `known` contains the request of every log entry, in order.
  Table(TableState state, std::vector<RequestId> known)
      : requests(std::move(known)), state_(std::make_shared<TableState>(std::move(state))) {}

  // Runs `operation` now on this thread if no other operation has the lock. If another operation
  // has it, runs `operation` later, on the thread that releases the lock. `place` is the seat of
  // the player who asks, or kNoSeat for the server. If too many operations with the same `place`
  // wait, calls `operation` at once with RESOURCE_EXHAUSTED TABLE_BUSY. Each `place` has its own
  // limit, so many calls of one player cannot make the table refuse the calls of other seats.
  static void Enter(std::shared_ptr<Table> table, rules::Seat place, Operation operation);

  std::shared_ptr<const TableState> Snapshot() const;

  // Replaces the snapshot, and shows the new snapshot to each watcher whose `known_revision` is
  // lower. If the match is over, then ends the watchers' streams. A stream must never show a lower
  // revision than before. So if the new state has a lower revision than the old one, Publish shows
  // nothing and ends the streams with TABLE_SET_BACK. Needs the lock.
  void Publish(std::shared_ptr<const TableState> state);

  // Adds a watcher. If the table's revision is above `after_revision`, shows the table to the
  // watcher at once. If the match is over, ends the watcher's stream.
  void AddWatcher(rules::Seat viewer, int after_revision, std::shared_ptr<Watcher> watcher);
  void RemoveWatcher(const Watcher* watcher);
  std::size_t watcher_count() const;

  // Ends every stream.
  void EndWatchers(const absl::Status& status);

  // Returns whether the log has an entry of `request`. Needs the lock.
  bool Knows(RequestId request) const;

  // A thread needs the lock to use the following public members, except `acquired`.

  // The requests of the log, in order. `Knows` searches from the end, because a repeated request
  // usually comes soon after the first request. Each table has such a list, so it is a vector,
  // which takes less memory than a set.
  std::vector<RequestId> requests;
  // True if the log may have entries that this object lacks: another process wrote an entry, or it
  // is unknown whether a change was stored. In this case, load the table again before use.
  bool stale = false;
  // True if the registry has forgotten this object. In this case, ask the registry for the table
  // again.
  bool released = false;
  // True if the store did not work for a while, or if it is unknown whether a change of this table
  // was stored. During such an outage the players could not play, so the table's clock starts anew
  // at the next load.
  bool outage = false;
  // The last time at which TableService::IsBehind returned true.
  absl::Time believed_time = absl::InfinitePast();
  // True if TableService has called its `on_changed` for this table, so that this replica runs the
  // table's clocks and asks its bots. Needs no lock.
  std::atomic<bool> acquired = false;

 private:
  struct Entry {
    rules::Seat viewer;
    // The watcher gets only revisions above this number. So while this replica's copy of the table
    // is older than what the watcher has seen, the watcher gets nothing.
    int known_revision;
    std::shared_ptr<Watcher> watcher;
  };

  struct Waiting {
    rules::Seat place;
    Operation operation;
  };

  friend class TableLock;
  static void Leave(std::shared_ptr<Table> table);

  std::mutex turn_mutex_;  // Guards the two members below.
  bool locked_ = false;
  // The oldest operation comes first. A search is fast, because there are only a few operations.
  std::vector<Waiting> waiting_;

  mutable std::mutex mutex_;  // Guards the two members below.
  std::shared_ptr<const TableState> state_;
  std::list<Entry> watchers_;
};

}  // namespace tarot::rules_service
