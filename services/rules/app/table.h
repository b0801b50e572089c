// One table in memory: a cache of its log, and who watches it.
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

// Who gets the views of a table. Called from worker threads, one at a time a table, and must not
// wait: it keeps only the newest view, and shows no more than that of `viewer`.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void Show(const std::shared_ptr<const TableState>& state, rules::Seat viewer) = 0;
  virtual void End(const absl::Status& status) = 0;
};

class Table;

// DATA_LOSS TABLE_SET_BACK: the database has lost the table's last entries, which had been stored.
absl::Status TableSetBack();

// The right to change a table, given to one operation at a time; moves between threads with it.
// The next operation that waits runs when it is destroyed, on that thread.
class Hold {
 public:
  explicit Hold(std::shared_ptr<Table> table) : table_(std::move(table)) {}
  Hold(Hold&&) noexcept = default;
  Hold& operator=(Hold&&) = delete;
  ~Hold();

  Table& operator*() const { return *table_; }
  Table* operator->() const { return table_.get(); }

 private:
  std::shared_ptr<Table> table_;
};

// A change is decided on, stored and published under one Hold, so one action at a time is in
// flight; the snapshot behind it is replaced only after the commit, so readers never wait.
class Table {
 public:
  // Operations that may wait for the one that has the table: one a seat and the server's own.
  static constexpr std::size_t kWaitingMax = 16;
  // Gets the hold, or the reason why not.
  using Operation = absl::AnyInvocable<void(absl::StatusOr<Hold>)>;

  Table(TableState state, std::vector<RequestId> known)
      : requests(std::move(known)), state_(std::make_shared<TableState>(std::move(state))) {}

  // Runs `operation` now, on this thread, or in its turn on the thread of the one before it.
  // RESOURCE_EXHAUSTED TABLE_BUSY when too many wait.
  static void Enter(std::shared_ptr<Table> table, Operation operation);

  std::shared_ptr<const TableState> Snapshot() const;

  // Replaces the snapshot and shows it to every watcher. One of a lower revision ends the streams,
  // with TABLE_SET_BACK: on a stream revisions only grow. Needs the hold.
  void Publish(std::shared_ptr<const TableState> state);

  // Adds a watcher and shows it the table, unless it knows this revision already. After the match
  // the stream ends.
  void AddWatcher(rules::Seat viewer, int after_revision, std::shared_ptr<Watcher> watcher);
  void RemoveWatcher(const Watcher* watcher);
  std::size_t watcher_count() const;

  // Ends every stream.
  void EndWatchers(const absl::Status& status);

  // Needs the hold. Whether the log has it.
  bool Knows(RequestId request) const;

  // Needs the hold: the requests of the log, in its order. Looked through from its end: a repeat
  // comes soon, and of idle tables there are many.
  std::vector<RequestId> requests;
  // Needs the hold: a commit is in doubt, or another process wrote. Load again before use.
  bool stale = false;
  // Needs the hold: no longer the registry's. Ask that for the table again.
  bool let_go = false;
  // Somebody has been told to plan what this table needs next.
  std::atomic<bool> taken_up = false;
  // Needs the hold: a statement got no answer. Nobody could play: clocks start at the next load.
  bool outage = false;

 private:
  struct Entry {
    rules::Seat viewer;
    int known_revision;  // It is shown what is newer only, also by a replica that is behind.
    std::shared_ptr<Watcher> watcher;
  };

  friend class Hold;
  static void Leave(std::shared_ptr<Table> table);

  std::mutex turn_mutex_;  // Guards the two below.
  bool held_ = false;
  std::vector<Operation> waiting_;  // The oldest first; few.

  mutable std::mutex mutex_;  // Guards the two below.
  std::shared_ptr<const TableState> state_;
  std::list<Entry> watchers_;
};

}  // namespace tarot::rules_service
