// The use cases of live tables, in domain words. Each runs to completion: it calls its store and
// answers; what must happen elsewhere hangs on `on_changed`.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "services/rules/app/table_registry.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

struct SubmitCommand {
  TableId table;
  PlayerId player;
  RequestId request;
  int expected_revision = 0;
  rules::Action action;
};

// A move that the server makes for a seat.
struct SeatCommand {
  TableId table;
  int expected_revision = 0;
  rules::Seat seat = rules::kNoSeat;
  Actor actor = Actor::kBot;
  rules::Action action;
};

// Thread-safe; may wait for the store, so call it from workers.
class TableService {
 public:
  TableService(TableStore& store, TableRegistry& registry, Clock& clock, Entropy& entropy,
               Metrics& metrics);

  // Called after every change of a table, from the thread that made it. Set once, before use.
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

  // Durable before it answers. Errors: see TableService.SubmitAction in the proto.
  absl::StatusOr<TableView> Submit(const SubmitCommand& command);

  // Takes the player's seat back from a bot.
  absl::StatusOr<TableView> Resume(TableId table, PlayerId player, RequestId request);

  // Shows the table to `watcher` from now on. The answer forgets it again: call it when the stream
  // is over. NOT_FOUND TABLE_NOT_FOUND.
  absl::StatusOr<std::function<void()>> Watch(TableId table, PlayerId player, int after_revision,
                                              std::shared_ptr<Watcher> watcher);

  // What the seat in turn sees, for the bot that plays for it.
  struct Turn {
    int revision = 0;
    rules::View view;
  };
  absl::StatusOr<Turn> CurrentTurn(TableId table);

  // For the turn driver. ABORTED REVISION_MISMATCH when the table has moved on: nothing to do.
  absl::Status SubmitForSeat(const SeatCommand& command);
  absl::Status DealNext(TableId table, int expected_revision);

  // Takes up a table that may be waiting for the server: after a restart, or a commit in doubt.
  absl::Status Wake(TableId table);

 private:
  // Makes `entry` (its revision and times are filled in) durable and visible. Needs `table.write`.
  absl::Status Commit(Table& table, LogEntry entry);
  // Brings a stale table up to its log. Need `table.write`.
  absl::Status Freshen(Table& table);
  absl::Status Reload(Table& table);

  TableStore& store_;
  TableRegistry& registry_;
  Clock& clock_;
  Entropy& entropy_;
  Metrics& metrics_;
  std::function<void(std::shared_ptr<const TableState>)> on_changed_;
  std::function<void(TableId)> on_doubt_;
};

}  // namespace tarot::rules_service
