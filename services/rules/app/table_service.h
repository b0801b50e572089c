// The use cases of live tables, in domain words. Changes answer later, when they are durable; what
// must happen elsewhere hangs on `on_changed`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/base/worker_pool.h"
#include "services/rules/app/group_appender.h"
#include "services/rules/app/hosting.h"
#include "services/rules/app/table_registry.h"
#include "services/rules/app/table_view.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

struct SubmitCommand {
  TableId table;
  PlayerId player;
  RequestId request;
  int expected_revision = 0;
  rules::Action action;
};

struct NonceCommand {
  TableId table;
  PlayerId player;
  RequestId request;
  int deal_number = 0;  // The deal that it is for.
  std::string nonce;
};

// A move that the server makes for a seat.
struct SeatCommand {
  TableId table;
  int expected_revision = 0;
  rules::Seat seat = rules::kNoSeat;
  Actor actor = Actor::kBot;
  absl::Time expire_time;  // Of kClock: the clock that is spent.
  rules::Action action;
};

// ABORTED REVISION_MISMATCH: the table is at `revision`.
absl::Status RevisionMismatch(int revision);

// UNAVAILABLE TABLE_MOVED: another replica hosts the table.
absl::Status TableMoved();

// Thread-safe. May wait for the store to load a table, so call it from workers; what takes a
// callback does not wait for its append: the callback comes once, perhaps on this thread and
// perhaps on the appender's, and must be short.
class TableService {
 public:
  // The table after a change, and whose view of it is the answer.
  struct Sight {
    std::shared_ptr<const TableState> state;
    rules::Seat viewer = rules::kNoSeat;
  };
  using SightDone = absl::AnyInvocable<void(absl::StatusOr<Sight>)>;
  using StatusDone = absl::AnyInvocable<void(absl::Status)>;

  TableService(TableStore& store, GroupAppender& appender, TableRegistry& registry,
               const Hosting& hosting, WorkerPool& workers, Clock& clock, Entropy& entropy,
               Metrics& metrics);

  // Called after every change of a table, from the thread that made it, and when a table is taken
  // up. Set once, before use.
  void set_on_changed(std::function<void(std::shared_ptr<const TableState>)> on_changed) {
    on_changed_ = std::move(on_changed);
  }

  // Called when a commit of a table may or may not have happened, until the log has settled it:
  // wake the table soon. Set once, before use.
  void set_on_doubt(std::function<void(TableId)> on_doubt) { on_doubt_ = std::move(on_doubt); }

  // INVALID_ARGUMENT BAD_REQUEST; ALREADY_EXISTS TABLE_EXISTS. The same request again is OK.
  absl::StatusOr<TableView> Create(TableConfig config);

  // As the player sees it. NOT_FOUND TABLE_NOT_FOUND.
  absl::StatusOr<TableView> Get(TableId table, PlayerId player);

  // The same of several, in their order, wherever they are hosted; one that is not there is left
  // out.
  absl::StatusOr<std::vector<TableView>> GetMany(const std::vector<TableId>& tables,
                                                 PlayerId player);

  // Durable before it answers. Errors: see TableService.SubmitAction in the proto.
  void Submit(SubmitCommand command, SightDone done);

  // Takes the player's seat back from a bot.
  void Resume(TableId table, PlayerId player, RequestId request, SightDone done);

  // Adds to the seed of the next deal. Errors: see TableService.AddNonce in the proto.
  void AddNonce(NonceCommand command, SightDone done);

  // Shows the table to `watcher` from now on. The answer forgets it again: call it when the stream
  // is over. NOT_FOUND TABLE_NOT_FOUND; UNAVAILABLE TABLE_MOVED when another replica hosts it, also
  // as the end of a stream.
  absl::StatusOr<std::function<void()>> Watch(TableId table, PlayerId player, int after_revision,
                                              std::shared_ptr<Watcher> watcher);

  // As it is now, hidden cards included: for the turn driver. NOT_FOUND TABLE_NOT_FOUND.
  absl::StatusOr<std::shared_ptr<const TableState>> Current(TableId table);

  // For the turn driver. ABORTED REVISION_MISMATCH when the table has moved on: nothing to do.
  void SubmitForSeat(SeatCommand command, StatusDone done);
  void DealNext(TableId table, int expected_revision, StatusDone done);

  // Takes up a table that may be waiting for the server: its last commit was in doubt.
  void Wake(TableId table, StatusDone done);

  // Loads tables that this replica hosts from now on, and has their next step planned. Waits for
  // the store. Tells for how many there was no room: they wait for the next attempt. An error
  // leaves all of them to it.
  absl::StatusOr<std::size_t> TakeUp(const std::vector<TableId>& tables);

  // Another process has written: loads the table again, and has its next step planned.
  void CatchUp(TableId table);

  // Nothing could be stored for a while: the table's clock starts anew when it is next needed.
  void NoteOutage(TableId table);

  // Ends the table's streams and forgets it, after what is under way there.
  void LetGo(TableId table);

 private:
  // Told while the table is still held.
  using Committed = absl::AnyInvocable<void(const Table&, const absl::Status&)>;
  // A change on its way through the store.
  struct Change {
    Hold hold;
    std::shared_ptr<TableState> after;
    RequestId request;
    Actor actor = Actor::kPlayer;
    rules::Seat seat = rules::kNoSeat;
    absl::Time start;
    Committed done;
  };

  // From memory or the log; a table that this replica hosts is taken up.
  absl::StatusOr<std::shared_ptr<Table>> Find(TableId id);
  bool PlanFirst(Table& table);  // False when that has been done.
  // Runs `operation` with the table to itself and up to its log, or with the reason why not. A
  // client that knows of `revision` knows that the log has it.
  void Enter(TableId id, int revision, Table::Operation operation);
  // Makes `entry` (its revision and times are filled in) durable and visible.
  void Commit(Hold hold, LogEntry entry, Committed done);
  // The store has answered.
  void Settle(Change change, const absl::StatusOr<Appended>& appended);
  void Show(Change change);
  void SettleByLog(Change change, bool replayed);
  absl::Status Reload(Table& table);  // Needs the hold; waits for the store.
  // Runs `job(true)` on a worker, or `job(false)` at once when they are busy.
  void OnWorker(absl::AnyInvocable<void(bool)> job);

  TableStore& store_;
  GroupAppender& appender_;
  TableRegistry& registry_;
  const Hosting& hosting_;
  WorkerPool& workers_;
  Clock& clock_;
  Entropy& entropy_;
  Metrics& metrics_;
  std::function<void(std::shared_ptr<const TableState>)> on_changed_;
  std::function<void(TableId)> on_doubt_;
};

}  // namespace tarot::rules_service
