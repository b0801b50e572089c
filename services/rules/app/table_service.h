// The use cases of live tables, in domain words.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/base/worker_pool.h"
#include "services/rules/app/group_appender.h"
#include "services/rules/app/hosting.h"
#include "services/rules/app/request_context.h"
#include "services/rules/app/table_registry.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

struct SubmitCommand {
  RequestId request;
  int expected_revision = 0;
  rules::Action action;
};

struct NonceCommand {
  RequestId request;
  int deal_number = 0;  // The deal that the nonce is for.
  std::string nonce;
};

// A move that the server makes for a seat.
struct SeatCommand {
  TableId table;
  int expected_revision = 0;
  rules::Seat seat = rules::kNoSeat;
  Actor actor = Actor::kBot;
  absl::Time expire_time;  // For kClock: the end of the clock that ran out.
  rules::Action action;
};

// A table as one seat may see it; kNoSeat: as a watcher may.
struct SeatView {
  std::shared_ptr<const TableState> state;
  rules::Seat viewer = rules::kNoSeat;
};

// Thread-safe. Every call may wait for the store to load a table, so call it on a worker. A
// function that takes `done` does not wait until its change is durable: it calls `done` once, on
// this thread or on one of the appender's, with the table after the change. `done` must be short.
class TableService {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<SeatView>)>;
  using OnChanged = std::function<void(const std::shared_ptr<const TableState>&)>;

  TableService(TableStore& store, GroupAppender& appender, TableRegistry& registry,
               const Hosting& hosting, WorkerPool& workers, Clock& clock, Entropy& entropy,
               Metrics& metrics);

  // Called after every change of a table, on the thread that made it, and when this replica
  // acquires a table. Set once, before use.
  void set_on_changed(OnChanged on_changed) { on_changed_ = std::move(on_changed); }

  // Called when it is unknown whether a commit of a table happened: wake the table soon, so that
  // its log settles it. Set once, before use.
  void set_on_commit_unknown(std::function<void(TableId)> on_commit_unknown) {
    on_commit_unknown_ = std::move(on_commit_unknown);
  }

  // INVALID_ARGUMENT BAD_REQUEST; ALREADY_EXISTS TABLE_EXISTS. The same request again is OK.
  absl::StatusOr<TableView> Create(TableConfig config);

  // Returns the table as the caller may see it. NOT_FOUND TABLE_NOT_FOUND.
  absl::StatusOr<TableView> Get(const RequestContext& context);

  // Several tables as `player` may see them, in their order, also tables of other replicas. A table
  // that does not exist is left out.
  absl::StatusOr<std::vector<TableView>> GetMany(const std::vector<TableId>& tables,
                                                 PlayerId player);

  // Errors: see TableService.SubmitAction in the proto.
  void Submit(const RequestContext& context, const SubmitCommand& command, Done done);

  // Takes the caller's seat back from a bot. Errors: see TableService.ResumeSeat in the proto.
  void Resume(const RequestContext& context, RequestId request, Done done);

  // Adds to the seed of the next deal. Errors: see TableService.AddNonce in the proto.
  void AddNonce(const RequestContext& context, NonceCommand command, Done done);

  // Shows the table to `watcher` from now on. Call the result when the stream is over: it removes
  // the watcher. NOT_FOUND TABLE_NOT_FOUND; UNAVAILABLE TABLE_MOVED when another replica hosts the
  // table, also as the end of a stream.
  absl::StatusOr<std::function<void()>> Watch(TableId table, PlayerId player, int after_revision,
                                              std::shared_ptr<Watcher> watcher);

  // Returns the table as it is now, hidden cards included: for the turn driver. NOT_FOUND
  // TABLE_NOT_FOUND.
  absl::StatusOr<std::shared_ptr<const TableState>> Current(TableId table);

  // For the turn driver. ABORTED REVISION_MISMATCH when the table has moved on: nothing to do.
  void SubmitForSeat(const SeatCommand& command, Done done);
  void DealNext(TableId table, int expected_revision, Done done);

  // Brings the table up to its log and calls `on_changed`: for a table that may wait for the server
  // because a commit was unknown.
  void Wake(TableId table, Done done);

  // Loads tables that this replica hosts from now on, and calls `on_changed` for each. Waits for
  // the store. Returns the number of tables without room: they wait for the next attempt. After an
  // error all of them do.
  absl::StatusOr<std::size_t> Acquire(const std::vector<TableId>& tables);

  // Another process has written: loads the table again and calls `on_changed`.
  void CatchUp(TableId table);

  // Nothing could be stored for a while: the table's clock starts anew at its next use.
  void NoteOutage(TableId table);

  // Ends the table's streams and forgets it, after the operation that holds it now.
  void Release(TableId table);

 private:
  // The decision on a change.
  struct Decision {
    rules::Seat viewer = rules::kNoSeat;  // The seat whose view is the answer.
    std::optional<LogEntry> entry;        // Nothing to store: the table already is as it should be.
  };
  using State = std::shared_ptr<const TableState>;
  // Decides on the table's newest state, under its lock. Commit fills in the entry's revision and
  // times.
  using Decide = absl::AnyInvocable<absl::StatusOr<Decision>(const Table&, const State&)>;
  // A change on its way: decided under the table's lock, stored, shown, answered.
  struct PendingChange;
  using Pending = std::unique_ptr<PendingChange>;

  // The one path of every change. `known_revision`: the caller has seen this revision, so the log
  // holds it.
  void Change(TableId table, int known_revision, Decide decide, Done done);
  void Enter(Pending change);
  void EnterOnWorker(Pending change);  // Brings the table up to its log.
  void Commit(Pending change);         // The table is up to its log.
  void Settle(Pending change, const absl::StatusOr<Appended>& appended);
  void Show(Pending change);
  void SettleByLog(Pending change, bool replayed);
  absl::Status Reload(Table& table);  // Needs the lock; waits for the store.

  // From memory or from the log. Acquires a table that this replica hosts.
  absl::StatusOr<std::shared_ptr<Table>> Find(TableId id);
  bool PlanFirst(Table& table);  // False when this was done before.
  // Runs `job(true)` on a worker, or `job(false)` at once when all workers are busy.
  void OnWorker(absl::AnyInvocable<void(bool)> job);

  TableStore& store_;
  GroupAppender& appender_;
  TableRegistry& registry_;
  const Hosting& hosting_;
  WorkerPool& workers_;
  Clock& clock_;
  Entropy& entropy_;
  Metrics& metrics_;
  OnChanged on_changed_;
  std::function<void(TableId)> on_commit_unknown_;
};

}  // namespace tarot::rules_service
