#include "services/rules/app/takeover.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "libs/base/error.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {
namespace {

bool IsPlayed(const Table* table) {
  return table != nullptr && table->acquired && !table->Snapshot()->match.Finished();
}

}  // namespace

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
    if (news.changed || news.rejoined) changed_ = std::min(changed_, clock_.Now());
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
  if (!listed.ok()) return End(listed);
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
  // The tables that this replica has acquired and whose match is not over in memory.
  absl::btree_set<TableId> played;
  for (const TableId id : registry_.Tables()) {
    if (!hosting_.Here(id)) {
      // Another replica hosts the table. The table is in memory because this replica answered calls
      // about it.
      tables_.Release(id);
    } else if (const auto table = registry_.Find(id); IsPlayed(table.get())) {
      played.insert(id);
    }
  }
  std::optional<TableKey> after;
  while (true) {
    TAROT_ASSIGN_OR_RETURN(const std::vector<LiveTable> page,
                           store_.ListLive(after, kLiveTablesPerPage));
    AddMissing(page);
    for (const LiveTable& live : page) played.erase(live.key.table);
    if (page.size() < kLiveTablesPerPage) break;
    after = page.back().key;
  }
  CatchUpEnded(played);
  return absl::OkStatus();
}

// The matches of `tables` are over in the database but not in memory. Perhaps another replica
// stored the last move. No later call will tell this replica that the move exists.
void Takeover::CatchUpEnded(const absl::btree_set<TableId>& tables) {
  for (const TableId id : tables) {
    const std::shared_ptr<Table> table = registry_.Find(id);
    if (IsPlayed(table.get())) CatchUp(id);  // The match may have ended in memory meanwhile.
  }
}

void Takeover::CatchUp(TableId table) {
  metrics_.hosting.tables_behind.Increment();
  tables_.CatchUp(table);
}

void Takeover::AddMissing(const std::vector<LiveTable>& page) {
  for (const LiveTable& live : page) {
    const TableId id = live.key.table;
    if (!hosting_.Here(id)) continue;
    const std::shared_ptr<Table> table = registry_.Find(id);
    if (table == nullptr || !table->acquired) {
      const std::lock_guard lock(mutex_);
      missing_.push_back(id);
    }
    if (table != nullptr && table->Snapshot()->revision < live.revision) CatchUp(id);
  }
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
