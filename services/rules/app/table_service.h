// Declares the service that makes, reads and changes tables in play. It does not use gRPC or
// Postgres.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/base/ids.h"
#include "libs/base/worker_pool.h"
#include "services/rules/app/group_appender.h"
#include "services/rules/app/hosting.h"
#include "services/rules/app/table_lookup.h"
#include "services/rules/app/table_registry.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

// The values that every request about one table has. Transport decodes them when the call arrives.
struct RequestContext {
  Caller caller;
  TableId table;
  // The caller stops waiting for the answer at this time.
  absl::Time deadline = absl::InfiniteFuture();
  std::string trace;    // The `traceparent` of the call (libs/rpc/trace.h), or empty.
  std::string network;  // The network of the player's client (libs/rpc/client_network.h), or empty.
};

struct SubmitCommand {
  RequestId request;
  int expected_revision = 0;
  rules::Action action;
};

struct ClaimCommand {
  RequestId request;
  int expected_revision = 0;
};

struct NonceCommand {
  RequestId request;
  int deal_number = 0;  // The deal that the nonce is for.
  std::string nonce;
};

struct PhraseCommand {
  RequestId request;
  Phrase phrase = Phrase::kHello;
};

struct MuteCommand {
  RequestId request;
  rules::Seat seat = rules::kNoSeat;  // The seat whose phrases the caller hides or shows.
  bool muted = false;
};

struct ProposeCommand {
  RequestId request;
  ProposalKind kind = ProposalKind::kTakeBack;
  // For kTakeBack: the revision that the player saw when deciding to propose. If the game has
  // changed since this revision, Propose refuses. If the field is unset, Propose does not check the
  // revision.
  std::optional<int> expected_revision = std::nullopt;
};

struct AnswerCommand {
  RequestId request;
  int proposal_revision = 0;
  bool agrees = false;
};

struct VoidCommand {
  RequestId request;
  // The number of the running deal. Ignored if `ends_match` is true.
  int deal_number = 0;
  std::string reason;
  bool ends_match = false;
};

// A move that the server makes for a seat.
struct SeatCommand {
  TableId table;
  int expected_revision = 0;
  rules::Seat seat = rules::kNoSeat;
  Actor actor = Actor::kBot;
  absl::Time expire_time;  // For kClock: the time at which the clock ran out.
  rules::Action action;
};

// The state of a table, and its viewer: the seat to which the state will be shown, or kNoSeat for a
// watcher. `state` has all cards, so transport must show only what `viewer` may see.
struct SeatView {
  std::shared_ptr<const TableState> state;
  rules::Seat viewer = rules::kNoSeat;
};

// Thread-safe. Every function except CheckExists, GetFromMemory, NoteOutage and Release may wait
// for the store to load a table, so call it on a worker. A function with a parameter of type Done
// returns before its change is durable. It calls `done` once, on any thread, with the table after
// the change or with an error. `done` must return quickly.
class TableService {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<SeatView>)>;
  using OnChanged = std::function<void(const std::shared_ptr<const TableState>&)>;

  TableService(TableStore& store, GroupAppender& appender, TableRegistry& registry,
               const Hosting& hosting, WorkerPool& workers, Clock& clock, Scheduler& scheduler,
               Entropy& entropy, Metrics& metrics);

  // The service calls `on_changed` after every change of a table, on the thread that has published
  // the change. Also calls it when this replica acquires a table, and after the log was read again.
  // Set this callback once, before use.
  void set_on_changed(OnChanged on_changed) { on_changed_ = std::move(on_changed); }

  // The service calls this function when it is unknown whether a change of a table was stored. The
  // function must soon call Wake for the table. Wake reads the log, and the log shows whether the
  // change was stored. Set this callback once, before use.
  void set_on_commit_unknown(std::function<void(TableId)> on_commit_unknown) {
    on_commit_unknown_ = std::move(on_commit_unknown);
  }

  // Creates a table. Returns INVALID_ARGUMENT BAD_REQUEST, ALREADY_EXISTS TABLE_EXISTS or
  // RESOURCE_EXHAUSTED TABLES_FULL. If the same request comes again, returns OK.
  absl::StatusOr<TableView> Create(TableConfig config);
  // Creates tables with different ids by one statement. Result i is the result of table i, as
  // Create returns it.
  std::vector<absl::Status> CreateMany(std::vector<TableConfig> configs);

  // Calls `done` once. The result is OK if the table exists. If not, the result is an error of
  // TableLookup::Check or of TableRegistry::CheckReadable. Calls `done` at once if the table is in
  // memory or known to be unreadable. Call this function before Get and Watch: then calls about
  // tables that do not exist cost few statements.
  void CheckExists(TableId table, TableLookup::Done done);

  // Returns the table as the caller may see it. If GetFromMemory does not have the table, replays
  // the log for this call only and does not add the table to memory. Returns NOT_FOUND
  // TABLE_NOT_FOUND if there is no such table.
  absl::StatusOr<TableView> Get(const RequestContext& context);
  // Returns nullopt if the table is not in the memory of this replica, or if another replica hosts
  // it. Never waits.
  std::optional<TableView> GetFromMemory(const RequestContext& context);

  // Plays an action. Never waits. The proto lists the errors at TableService.SubmitAction.
  void Submit(const RequestContext& context, const SubmitCommand& command, Done done);

  // Claims all tricks that are left for the caller's seat. The proto lists the errors at
  // TableService.ClaimTricks.
  void ClaimTricks(const RequestContext& context, const ClaimCommand& command, Done done);

  // Takes the caller's seat back from a bot. The proto lists the errors at TableService.ResumeSeat.
  void Resume(const RequestContext& context, RequestId request, Done done);

  // Adds a nonce to the seed of the next deal. The proto lists the errors at TableService.AddNonce.
  void AddNonce(const RequestContext& context, NonceCommand command, Done done);

  // Says a phrase to the table. The proto lists the errors at TableService.SayPhrase.
  void SayPhrase(const RequestContext& context, const PhraseCommand& command, Done done);

  // Hides the phrases of a seat from the caller, or shows them again. The proto lists the errors at
  // TableService.MuteSeat.
  void MuteSeat(const RequestContext& context, const MuteCommand& command, Done done);

  // Propose makes a proposal to the other players, Answer answers the open proposal, and EndBreak
  // ends a break. The proto lists their errors at TableService.
  void Propose(const RequestContext& context, const ProposeCommand& command, Done done);
  void Answer(const RequestContext& context, const AnswerCommand& command, Done done);
  void EndBreak(const RequestContext& context, RequestId request, Done done);

  // Cancels the running deal for an operator, and ends the match if the command says so. The proto
  // lists the errors at TableAdminService.VoidDeal and EndMatch.
  void VoidDeal(TableId table, VoidCommand command, Done done);

  // Shows the table to `watcher` from now on. Call the returned function when the stream is over;
  // it removes the watcher. Returns UNAVAILABLE TABLE_MOVED if another replica hosts the table, or
  // an error of TableRegistry::Get. The stream may also end later with TABLE_MOVED.
  absl::StatusOr<std::function<void()>> Watch(TableId table, PlayerId player, int after_revision,
                                              std::shared_ptr<Watcher> watcher);

  // Returns the table as it is now, including hidden cards, for the turn driver. Returns the errors
  // of TableRegistry::Get.
  absl::StatusOr<std::shared_ptr<const TableState>> Current(TableId table);

  // SubmitForSeat makes a move for a seat, and DealNext starts the next deal. The turn driver calls
  // these two functions. `done` gets ABORTED REVISION_MISMATCH if the game has changed since the
  // expected revision. A move for kClock also gets this error if the clock that ran out does not
  // run any more. The caller may ignore this error.
  void SubmitForSeat(const SeatCommand& command, Done done);
  void DealNext(TableId table, int expected_revision, Done done);
  // Ends the pause whose time is over at `expire_time`: refuses the proposal or ends the break.
  // `done` gets ABORTED REVISION_MISMATCH if the table has no such pause.
  void EndPause(TableId table, absl::Time expire_time, Done done);

  // If the table in memory may be older than the log, reads the log again. Then calls `on_changed`.
  // Use this function when it is unknown whether a change was stored, because the table may wait
  // for a step of the server.
  void Wake(TableId table, Done done);

  // Loads the tables of `tables` that are not in memory yet, and calls `on_changed` for each table
  // that this replica newly hosts. Waits for the store. If there is not enough room, leaves out
  // tables and returns their number.
  absl::StatusOr<std::size_t> Acquire(const std::vector<TableId>& tables);

  // Call this function when another process has written to the table's log. Loads the table again
  // and calls `on_changed`.
  void CatchUp(TableId table);

  // Call this function when the store has not worked for a while. The clock of the table starts
  // anew when the table is used next.
  void NoteOutage(TableId table);

  // Ends the table's streams at once. Forgets the table after the operations that already hold or
  // wait for its lock.
  void Release(TableId table);

 private:
  using State = std::shared_ptr<const TableState>;
  // The entry to store, or nullopt if nothing would change at the table. Commit sets the entry's
  // seat, revision and times.
  using Decided = absl::StatusOr<std::optional<LogEntry>>;
  // Decides on a change by a seat, from the table's newest state and under the table's lock.
  using Decide = absl::AnyInvocable<Decided(const Table&, const State&, rules::Seat)>;
  // A change in progress. Its steps are: decide under the table's lock, store, show and answer.
  struct PendingChange;
  using Pending = std::unique_ptr<PendingChange>;

  // Returns nullopt if the request is a repeat, because the log already has `request`. If not,
  // returns ABORTED REVISION_MISMATCH. Counts repeats and mismatches.
  Decided RepeatOrStale(const Table& table, const State& state, RequestId request);

  // Each public function that changes a table calls ChangeByPlayer or ChangeByServer.
  // `known_revision` is the revision that the request names. `seat` is the seat for which the
  // server moves, or kNoSeat.
  void ChangeByPlayer(const RequestContext& context, Decide decide, Done done,
                      int known_revision = 0);
  void ChangeByServer(TableId table, Decide decide, Done done, rules::Seat seat = rules::kNoSeat);
  // Every change goes through this function. A player's change never waits here: if the table is
  // not in memory, a worker loads it.
  void Enter(Pending change);
  void LoadAndEnter(Pending change);  // Waits for the store if the table is not in memory.
  // A player without a seat gets NOT_SEATED at once, without the table's lock.
  void EnterTable(std::shared_ptr<Table> table, Pending change);
  // Returns true if the log must be read again, because a request names a later revision. Returns
  // true at most once per kBelievedEvery, because a client can send an invented revision, and each
  // such request would cost a read.
  bool IsBehind(Table& table, int known_revision);
  void EnterOnWorker(Pending change);  // First makes the table equal to its log, then calls Commit.
  // Call this function only when the table is equal to its log.
  void Commit(Pending change);
  void Settle(Pending change, const absl::StatusOr<Appended>& appended);
  void Show(Pending change);
  void SettleByLog(Pending change, bool replayed);
  absl::Status Reload(Table& table);  // The caller holds the lock. Waits for the store.

  // Returns the table from memory or from the log. If this replica hosts the table, also acquires
  // it.
  absl::StatusOr<std::shared_ptr<Table>> Find(TableId id);
  // If this replica hosts the table and has not acquired it yet, calls `on_changed` for it and
  // returns true. If not, does nothing and returns false.
  bool PlanFirst(Table& table);
  // Runs `job(true)` on a worker. If the queue of the workers is full, calls `job(false)` at once.
  void OnWorker(absl::AnyInvocable<void(bool)> job);

  TableStore& store_;
  GroupAppender& appender_;
  TableRegistry& registry_;
  const Hosting& hosting_;
  WorkerPool& workers_;
  Clock& clock_;
  Entropy& entropy_;
  Metrics& metrics_;
  TableLookup lookup_;
  OnChanged on_changed_;
  std::function<void(TableId)> on_commit_unknown_;
};

}  // namespace tarot::rules_service
