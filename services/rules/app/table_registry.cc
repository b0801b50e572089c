#include "services/rules/app/table_registry.h"

#include <algorithm>
#include <utility>

#include "libs/base/error.h"
#include "libs/base/status_macros.h"

namespace tarot::rules_service {
namespace {

struct Loaded {
  TableState state;
  absl::flat_hash_set<RequestId> requests;
};

absl::StatusOr<Loaded> LoadTable(TableStore& store, TableId id, absl::Time clocks_start) {
  TAROT_ASSIGN_OR_RETURN(StoredTable stored, store.Load(id));
  auto config = std::make_shared<const TableConfig>(std::move(stored.config));
  TAROT_ASSIGN_OR_RETURN(TableState state, Replay(std::move(config), stored.log));
  state.turn_start = std::max(state.turn_start, clocks_start);
  Loaded loaded{.state = std::move(state)};
  for (const LogEntry& entry : stored.log) loaded.requests.insert(entry.request);
  return loaded;
}

}  // namespace

absl::StatusOr<std::shared_ptr<Table>> TableRegistry::Get(TableId id) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = tables_.find(id);
    if (found != tables_.end()) return found->second;
  }
  TAROT_RETURN_IF_ERROR(CheckRoom(id));
  TAROT_ASSIGN_OR_RETURN(Loaded loaded, LoadTable(store_, id, clocks_start_));
  auto table = std::make_shared<Table>(std::move(loaded.state), std::move(loaded.requests));
  // Two threads may have loaded it at once: one of the two stays.
  const std::lock_guard lock(mutex_);
  return tables_.try_emplace(id, std::move(table)).first->second;
}

absl::Status TableRegistry::CheckRoom(TableId id) const {
  const std::lock_guard lock(mutex_);
  if (tables_.size() < tables_max_ || tables_.contains(id)) return absl::OkStatus();
  return Error(absl::StatusCode::kResourceExhausted, "TABLES_FULL",
               "This server holds as many tables as it may.");
}

absl::Status TableRegistry::Reload(Table& table) {
  TAROT_ASSIGN_OR_RETURN(Loaded loaded,
                         LoadTable(store_, table.Snapshot()->config->id, clocks_start_));
  table.requests = std::move(loaded.requests);
  table.stale = false;
  if (loaded.state.revision > table.Snapshot()->revision) {
    table.Publish(std::make_shared<TableState>(std::move(loaded.state)));
  }
  return absl::OkStatus();
}

void TableRegistry::ForgetFinishedBefore(absl::Time time) {
  const std::lock_guard lock(mutex_);
  absl::erase_if(tables_, [time](const auto& entry) {
    const std::shared_ptr<const TableState> state = entry.second->Snapshot();
    return state->match.Finished() && state->turn_start < time &&
           entry.second->watcher_count() == 0;
  });
}

absl::Status TableRegistry::Ending() {
  return Error(absl::StatusCode::kUnavailable, "SHUTTING_DOWN",
               "The server is stopping: connect again.");
}

void TableRegistry::EndWatchers() {
  ending_ = true;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, table] : tables_) table->EndWatchers(Ending());
}

TableRegistry::Counts TableRegistry::Count() const {
  const std::lock_guard lock(mutex_);
  Counts counts;
  for (const auto& [id, table] : tables_) {
    counts.watchers += table->watcher_count();
    const std::shared_ptr<const TableState> state = table->Snapshot();
    if (state->match.Finished()) continue;
    ++(state->match.DealRunning() ? counts.playing : counts.dealing);
  }
  return counts;
}

}  // namespace tarot::rules_service
