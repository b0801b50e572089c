#include "services/rules/app/table_lookup.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "services/rules/app/errors.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {

void TableLookup::Check(TableId table, Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < kLookupsWaitingMax) {
      waiting_.push_back({.table = table, .done = std::move(done)});
      if (std::exchange(busy_, true)) return;
    }
  }
  if (done) return done(Overloaded());
  Begin();
}

void TableLookup::Begin() {
  if (workers_.TryRun([this] { Run(); })) return;
  std::vector<Waiting> refused;
  {
    const std::lock_guard lock(mutex_);
    refused.swap(waiting_);
    busy_ = false;
  }
  for (Waiting& call : refused) call.done(Overloaded());
}

void TableLookup::Run() {
  std::vector<Waiting> calls;
  {
    const std::lock_guard lock(mutex_);
    const auto end = waiting_.begin() +
                     static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kLookupsPerStatement));
    calls.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
  }
  scheduler_.After(kLookupPause, [this] { AfterPause(); });
  std::vector<TableId> tables;
  tables.reserve(calls.size());
  for (const Waiting& call : calls) tables.push_back(call.table);
  const absl::StatusOr<std::vector<TableId>> found = store_.FindTables(tables);
  absl::flat_hash_set<TableId> existing;
  if (found.ok()) existing.insert(found->begin(), found->end());
  for (Waiting& call : calls) {
    call.done(!found.ok()                     ? found.status()
              : existing.contains(call.table) ? absl::OkStatus()
                                              : TableNotFound());
  }
}

void TableLookup::AfterPause() {
  {
    const std::lock_guard lock(mutex_);
    busy_ = !waiting_.empty();
    if (!busy_) return;
  }
  Begin();
}

}  // namespace tarot::rules_service
