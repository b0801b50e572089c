#include "services/rules/app/table.h"

#include <algorithm>
#include <utility>

#include "services/rules/app/errors.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {

TableLock::~TableLock() {
  if (table_ != nullptr) Table::Leave(std::move(table_));
}

void Table::Enter(std::shared_ptr<Table> table, rules::Seat place, Operation operation) {
  const std::size_t most = place == rules::kNoSeat ? kServerWaitingMax : kSeatWaitingMax;
  bool now = false;
  bool full = false;
  {
    const std::lock_guard lock(table->turn_mutex_);
    now = !std::exchange(table->locked_, true);
    const auto of_place = std::count_if(table->waiting_.begin(), table->waiting_.end(),
                                        [place](const Waiting& w) { return w.place == place; });
    full = !now && static_cast<std::size_t>(of_place) >= most;
    if (!now && !full) table->waiting_.push_back({place, std::move(operation)});
  }
  if (now) return operation(TableLock(std::move(table)));
  if (full) operation(TableBusy());
}

void Table::Leave(std::shared_ptr<Table> table) {
  Operation next;
  {
    const std::lock_guard lock(table->turn_mutex_);
    table->locked_ = !table->waiting_.empty();
    if (!table->locked_) return;
    next = std::move(table->waiting_.front().operation);
    table->waiting_.erase(table->waiting_.begin());
  }
  next(TableLock(std::move(table)));
}

bool Table::Knows(RequestId request) const {
  return std::find(requests.rbegin(), requests.rend(), request) != requests.rend();
}

std::shared_ptr<const TableState> Table::Snapshot() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void Table::Publish(std::shared_ptr<const TableState> state) {
  const std::lock_guard lock(mutex_);
  const bool back = state->revision < state_->revision;
  state_ = std::move(state);
  const bool over = state_->match.Finished();
  for (const Entry& entry : watchers_) {
    if (back) {
      entry.watcher->End(TableSetBack());
      continue;
    }
    if (state_->revision > entry.known_revision) entry.watcher->Show(state_, entry.viewer);
    if (over) entry.watcher->End(absl::OkStatus());
  }
  if (over || back) watchers_.clear();
}

void Table::AddWatcher(rules::Seat viewer, int after_revision, std::shared_ptr<Watcher> watcher) {
  const std::lock_guard lock(mutex_);
  const bool over = state_->match.Finished();
  if (state_->revision > after_revision) watcher->Show(state_, viewer);
  if (over) {
    watcher->End(absl::OkStatus());
  } else {
    watchers_.push_back(
        {.viewer = viewer, .known_revision = after_revision, .watcher = std::move(watcher)});
  }
}

void Table::RemoveWatcher(const Watcher* watcher) {
  const std::lock_guard lock(mutex_);
  watchers_.remove_if([watcher](const Entry& e) { return e.watcher.get() == watcher; });
}

std::size_t Table::watcher_count() const {
  const std::lock_guard lock(mutex_);
  return watchers_.size();
}

void Table::EndWatchers(const absl::Status& status) {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : watchers_) entry.watcher->End(status);
  watchers_.clear();
}

}  // namespace tarot::rules_service
