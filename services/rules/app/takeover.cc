#include "services/rules/app/takeover.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "libs/base/error.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {

Takeover::Takeover(TableService& tables, TableRegistry& registry, TableStore& store,
                   const Hosting& hosting, WorkerPool& workers, Clock& clock, Metrics& metrics)
    : tables_(tables),
      registry_(registry),
      store_(store),
      hosting_(hosting),
      workers_(workers),
      clock_(clock),
      metrics_(metrics) {}

void Takeover::OnHeartbeat(const cluster::HeartbeatNews& news) {
  metrics_.hosting.heartbeats.Increment();
  metrics_.hosting.nodes.Set(static_cast<double>(news.nodes->size()));
  Release(news);
  if (news.outage) {
    for (const TableId id : registry_.Tables()) tables_.NoteOutage(id);
  }
  {
    const std::lock_guard lock(mutex_);
    if (news.changed || news.rejoined) {
      changed_ = std::min(changed_, clock_.Now());
      full_list_wanted_ = true;
    }
    wanted_ = SweepIsDue(news) || wanted_;
    if (!wanted_ || std::exchange(running_, true)) return;
  }
  Plan();
}

void Takeover::Plan() {
  if (workers_.TryRun([this] { Sweep(); })) return;
  const std::lock_guard lock(mutex_);  // No worker is free, so the next heartbeat tries again.
  running_ = false;
  wanted_ = true;
}

// Releases tables without delay. This replica's copies may be old, and other replicas serve the
// streams of these tables now.
void Takeover::Release(const cluster::HeartbeatNews& news) {
  if (!news.changed && !news.rejoined) return;
  for (const TableId id : registry_.Tables()) {
    if (news.rejoined || !hosting_.Here(id)) tables_.Release(id);
  }
}

bool Takeover::SweepIsDue(const cluster::HeartbeatNews& news) {
  ++heartbeats_since_sweep_;
  ++heartbeats_since_change_;
  if (news.changed || news.rejoined) heartbeats_since_change_ = 0;
  return failed_ || heartbeats_since_change_ <= kHeartbeatsToHear ||
         heartbeats_since_change_ == kHeartbeatsToSettle ||
         heartbeats_since_sweep_ >= kHeartbeatsBetweenSweeps;
}

void Takeover::Sweep() {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = false;
    heartbeats_since_sweep_ = 0;
    sweep_changed_ = std::exchange(changed_, absl::InfiniteFuture());
    load_status_ = absl::OkStatus();
  }
  const absl::Status listed = List();
  if (!listed.ok()) {
    seen_.clear();  // So the next sweep compares all tables.
    return End(listed);
  }
  {
    const std::lock_guard lock(mutex_);
    loaders_ = kTableLoaders;
  }
  for (int i = 1; i < kTableLoaders; ++i) {
    if (workers_.TryRun([this] { Load(); })) continue;
    const std::lock_guard lock(mutex_);
    --loaders_;
  }
  Load();
}

absl::Status Takeover::List() {
  TAROT_ASSIGN_OR_RETURN(const bool check_all, ListTables());
  absl::flat_hash_map<TableId, int> seen;
  std::vector<TableRevision> to_check;
  for (const TableId id : registry_.Tables()) {
    if (!hosting_.Here(id)) {
      // Another replica hosts the table. The table is in memory because this replica answered calls
      // about it.
      tables_.Release(id);
      continue;
    }
    const std::shared_ptr<Table> table = registry_.Find(id);
    if (table == nullptr) continue;
    const auto state = table->Snapshot();
    if (state->match.Finished()) continue;
    if (!table->acquired) not_acquired_.insert(id);
    seen[id] = state->revision;
    const auto before = seen_.find(id);
    if (check_all || before == seen_.end() || state->revision <= before->second) {
      to_check.push_back({.table = id, .revision = state->revision});
    }
  }
  // Rows with neighbouring ids are neighbours in the index, so sorted reads cost less.
  std::sort(to_check.begin(), to_check.end());
  TAROT_RETURN_IF_ERROR(CatchUp(to_check));
  seen_ = std::move(seen);
  absl::erase_if(not_acquired_, [this](TableId id) {
    const std::shared_ptr<Table> table = registry_.Find(id);
    return !hosting_.Here(id) || (table != nullptr && table->acquired);
  });
  const std::lock_guard lock(mutex_);
  missing_.assign(not_acquired_.begin(), not_acquired_.end());
  return absl::OkStatus();
}

absl::StatusOr<bool> Takeover::ListTables() {
  bool full = false, check_all = false;
  {
    const std::lock_guard lock(mutex_);
    full = std::exchange(full_list_wanted_, false);
    check_all = full || heartbeats_since_change_ <= kHeartbeatsToSettle;
  }
  full = full || ++sweeps_since_full_list_ >= kSweepsBetweenFullLists;
  const absl::Time since = full ? absl::InfinitePast() : listed_until_;
  const absl::Time until = clock_.Now() - kNewTablesOverlap;
  absl::btree_set<TableId> found;
  std::optional<TableKey> after;
  while (true) {
    const auto page = store_.ListLive(since, after, kLiveTablesPerPage);
    if (!page.ok()) {
      const std::lock_guard lock(mutex_);
      full_list_wanted_ = full_list_wanted_ || full;
      return page.status();
    }
    for (const TableKey& key : *page) {
      if (hosting_.Here(key.table)) found.insert(key.table);
    }
    if (page->size() < kLiveTablesPerPage) break;
    after = page->back();
  }
  if (full) {
    not_acquired_.clear();  // Some of these old matches may be over.
    sweeps_since_full_list_ = 0;
  }
  not_acquired_.merge(found);
  listed_until_ = until;
  return check_all;
}

// If another replica stored the last move of a match, no later call tells this replica that the
// move exists.
absl::Status Takeover::CatchUp(const std::vector<TableRevision>& tables) {
  absl::flat_hash_map<TableId, int> revisions;
  for (auto first = tables.begin(); first != tables.end();) {
    const auto end = first + std::min<std::ptrdiff_t>(kLiveTablesPerPage, tables.end() - first);
    revisions.clear();
    for (auto at = first; at != end; ++at) revisions[at->table] = at->revision;
    TAROT_ASSIGN_OR_RETURN(const std::vector<TableId> behind, store_.ListBehind({first, end}));
    for (const TableId id : behind) {
      const std::shared_ptr<Table> table = registry_.Find(id);
      // Perhaps this replica itself has stored the newer entry in the meantime.
      if (table == nullptr || table->Snapshot()->revision > revisions[id]) continue;
      metrics_.hosting.tables_behind.Increment();
      tables_.CatchUp(id);
    }
    first = end;
  }
  return absl::OkStatus();
}

void Takeover::Load() {
  for (auto some = NextToLoad(); !some.empty(); some = NextToLoad()) {
    const absl::StatusOr<std::size_t> without_room = tables_.Acquire(some);
    const std::lock_guard lock(mutex_);
    load_status_.Update(without_room.status());
    if (without_room.ok()) without_room_ += *without_room;
  }
  absl::Status status;
  {
    const std::lock_guard lock(mutex_);
    if (--loaders_ > 0) return;
    status = load_status_;
  }
  End(status);
}

std::vector<TableId> Takeover::NextToLoad() {
  const std::lock_guard lock(mutex_);
  if (!load_status_.ok()) return {};
  const std::size_t left = missing_.size() - std::min(missing_.size(), kTablesPerLoad);
  std::vector<TableId> some(missing_.begin() + static_cast<std::ptrdiff_t>(left), missing_.end());
  missing_.resize(left);
  return some;
}

void Takeover::End(const absl::Status& status) {
  {
    const std::lock_guard lock(mutex_);
    missing_ = {};
    metrics_.hosting.tables_without_room.Set(static_cast<double>(std::exchange(without_room_, 0)));
    failed_ = !status.ok();
    if (failed_) {
      changed_ = std::min(changed_, sweep_changed_);
    } else if (sweep_changed_ != absl::InfiniteFuture()) {
      const absl::Duration took = clock_.Now() - sweep_changed_;
      metrics_.hosting.takeover_seconds.Observe(absl::ToDoubleSeconds(took));
    }
    running_ = wanted_;
    if (!running_) return;
  }
  Plan();
}

}  // namespace tarot::rules_service
