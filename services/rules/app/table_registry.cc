#include "services/rules/app/table_registry.h"

#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_set.h"
#include "libs/base/error.h"
#include "services/rules/app/errors.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {
namespace {

struct Loaded {
  TableState state;
  std::vector<RequestId> requests;
};

absl::StatusOr<Loaded> ReplayTable(StoredTable stored, absl::Time now) {
  auto config = std::make_shared<const TableConfig>(std::move(stored.config));
  TAROT_ASSIGN_OR_RETURN(TableState state, Replay(std::move(config), stored.log));
  // The clock starts now. So no player is charged for the time without a server, or for the time
  // before players saw a change. A finished match has no clock. Its state keeps the time of its
  // end, so that ForgetFinishedBefore soon forgets the table.
  if (!state.match.Finished()) state.turn_start = std::max(state.turn_start, now);
  Loaded loaded{.state = std::move(state)};
  loaded.requests.reserve(stored.log.size());
  for (const LogEntry& entry : stored.log) loaded.requests.push_back(entry.request);
  return loaded;
}

absl::StatusOr<std::shared_ptr<Table>> MakeTable(StoredTable stored, absl::Time now) {
  TAROT_ASSIGN_OR_RETURN(Loaded loaded, ReplayTable(std::move(stored), now));
  return std::make_shared<Table>(std::move(loaded.state), std::move(loaded.requests));
}

}  // namespace

absl::StatusOr<std::shared_ptr<Table>> TableRegistry::Get(TableId id) {
  if (std::shared_ptr<Table> known = Find(id)) return known;
  TAROT_RETURN_IF_ERROR(CheckReadable(id));
  TAROT_RETURN_IF_ERROR(CheckRoom(id));
  const absl::Cleanup load_ends = [this] { --loads_; };
  if (++loads_ > kLoadsAtOnceMax) return Overloaded();
  absl::StatusOr<StoredTable> stored = store_.Load(id);
  // Remembers only SECRET_UNREADABLE, because this error comes from the log of this table. Any
  // other error may come from the database, and the next read may succeed.
  const bool no_key = GetErrorDetails(stored.status()).reason == "SECRET_UNREADABLE";
  if (no_key) NoteUnreadable(id, stored.status());
  TAROT_RETURN_IF_ERROR(stored.status());
  auto table = MakeTable(*std::move(stored), clock_.Now());
  if (!table.ok()) NoteUnreadable(id, table.status());
  TAROT_RETURN_IF_ERROR(table.status());
  return Add(*std::move(table));
}

void TableRegistry::AddNew(TableConfig config) {
  auto table = MakeTable({.config = std::move(config)}, clock_.Now());
  // MakeTable always succeeds here: the log is empty, so it has no entry that could be refused.
  if (table.ok()) Add(*std::move(table));
}

absl::StatusOr<TableRegistry::Many> TableRegistry::GetMany(const std::vector<TableId>& ids) {
  Many many;
  std::vector<TableId> missing;
  for (const TableId id : ids) {
    if (std::shared_ptr<Table> known = Find(id)) {
      many.tables.push_back(std::move(known));
    } else if (CheckReadable(id).ok()) {
      missing.push_back(id);
    }
  }
  const std::size_t room = Room();
  if (missing.size() > room) {
    many.without_room = missing.size() - room;
    missing.resize(room);
  }
  if (missing.empty()) return many;
  TAROT_ASSIGN_OR_RETURN(std::vector<StoredTable> stored, store_.LoadMany(missing));
  if (stored.size() < missing.size()) FindUnreadable(missing, stored);
  for (StoredTable& one : stored) {
    const TableId id = one.config.id;
    auto table = MakeTable(std::move(one), clock_.Now());
    if (table.ok()) {
      many.tables.push_back(Add(*std::move(table)));
    } else {
      NoteUnreadable(id, table.status());
    }
  }
  return many;
}

void TableRegistry::FindUnreadable(const std::vector<TableId>& wanted,
                                   const std::vector<StoredTable>& loaded) {
  absl::flat_hash_set<TableId> found;
  for (const StoredTable& table : loaded) found.insert(table.config.id);
  for (const TableId id : wanted) {
    if (found.contains(id)) continue;
    const absl::Status status = store_.Load(id).status();
    if (absl::IsUnavailable(status)) return;  // Takeover reads the remaining tables later.
    if (!status.ok() && !absl::IsNotFound(status)) NoteUnreadable(id, status);
  }
}

void TableRegistry::NoteUnreadable(TableId id, const absl::Status& status) {
  {
    const std::lock_guard lock(mutex_);
    const absl::Time now = clock_.Now();
    const auto known = unreadable_.find(id);
    if (known != unreadable_.end()) {
      // Another thread has just tried to read the table, and has reported the error.
      if (now < known->second.retry_time) return;
      unreadable_.erase(known);
    }
    if (unreadable_.size() < tables_max_) {
      unreadable_[id] = {.status = status, .retry_time = now + kUnreadableRetryDelay};
    }
  }
  on_unreadable_(id, status);
}

absl::Status TableRegistry::CheckReadable(TableId id) const {
  const std::lock_guard lock(mutex_);
  const auto known = unreadable_.find(id);
  if (known == unreadable_.end() || known->second.retry_time <= clock_.Now()) {
    return absl::OkStatus();
  }
  return known->second.status;
}

std::size_t TableRegistry::Room() const {
  const std::lock_guard lock(mutex_);
  return tables_max_ - std::min(tables_max_, tables_.size());
}

// If two threads have loaded the table at once, the object that was added before stays.
std::shared_ptr<Table> TableRegistry::Add(std::shared_ptr<Table> table) {
  const TableId id = table->Snapshot()->config->id;
  const std::lock_guard lock(mutex_);
  return tables_.try_emplace(id, std::move(table)).first->second;
}

std::shared_ptr<Table> TableRegistry::Find(TableId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(id);
  return found == tables_.end() ? nullptr : found->second;
}

std::vector<TableId> TableRegistry::Tables() const {
  const std::lock_guard lock(mutex_);
  std::vector<TableId> ids;
  ids.reserve(tables_.size());
  for (const auto& [id, table] : tables_) ids.push_back(id);
  // Without the sort, the order would differ from run to run. Then a simulation could not be
  // repeated with the same result.
  std::sort(ids.begin(), ids.end());
  return ids;
}

void TableRegistry::Forget(const Table& table) {
  const TableId id = table.Snapshot()->config->id;
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(id);
  if (found != tables_.end() && found->second.get() == &table) tables_.erase(found);
}

absl::Status TableRegistry::CheckRoom(TableId id, std::size_t others) const {
  const std::lock_guard lock(mutex_);
  if (tables_.size() + others < tables_max_ || tables_.contains(id)) return absl::OkStatus();
  return TablesFull();
}

absl::Status TableRegistry::Reload(Table& table) {
  absl::StatusOr<StoredTable> stored = store_.Load(table.Snapshot()->config->id);
  if (absl::IsNotFound(stored.status())) {
    table.released = true;
    Forget(table);
    table.EndWatchers(stored.status());
  }
  TAROT_RETURN_IF_ERROR(stored.status());
  const std::shared_ptr<const TableState> before = table.Snapshot();
  const bool outage = std::exchange(table.outage, false);
  TAROT_ASSIGN_OR_RETURN(Loaded loaded, ReplayTable(*std::move(stored), clock_.Now()));
  table.requests = std::move(loaded.requests);
  table.stale = false;
  const bool new_clock = outage && !before->match.Finished();
  if (new_clock || loaded.state.revision != before->revision) {
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
  absl::erase_if(unreadable_, [now = clock_.Now()](const auto& entry) {
    return entry.second.retry_time <= now;
  });
}

void TableRegistry::EndWatchers() {
  ending_ = true;
  for (const TableId id : Tables()) {
    if (const std::shared_ptr<Table> table = Find(id)) table->EndWatchers(ShuttingDown());
  }
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

void Housekeeping::Start() {
  const TableRegistry::Counts counts = registry_.Count();
  metrics_.tables_dealing.Set(static_cast<double>(counts.dealing));
  metrics_.tables_playing.Set(static_cast<double>(counts.playing));
  metrics_.watchers_open.Set(static_cast<double>(counts.watchers));
  registry_.ForgetFinishedBefore(clock_.Now() - forget_finished_after_);
  scheduler_.After(kHousekeepingInterval, [this] { Start(); });
}

}  // namespace tarot::rules_service
