#include "services/rules/app/takeover.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "libs/base/status_macros.h"

namespace tarot::rules_service {
namespace {

constexpr int kPage = 5000;             // Of the list of live tables.
constexpr std::size_t kLoadRows = 250;  // Tables that one statement reads.

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

void Takeover::OnBeat(const cluster::BeatNews& news) {
  metrics_.hosting.beats.Increment();
  metrics_.hosting.nodes.Set(static_cast<double>(news.nodes->size()));
  LetGo(news);
  {
    const std::lock_guard lock(mutex_);
    if (news.changed || news.rejoined) changed_ = std::min(changed_, clock_.Now());
    wanted_ = SweepIsDue(news) || wanted_;
    if (!wanted_ || std::exchange(running_, true)) return;
  }
  if (workers_.TryRun([this] { Run(); })) return;
  const std::lock_guard lock(mutex_);  // The next beat tries again.
  running_ = false;
}

// Without delay: what this replica has in memory may be old, and its streams belong elsewhere.
void Takeover::LetGo(const cluster::BeatNews& news) {
  if (!news.changed && !news.rejoined) return;
  for (const TableId id : registry_.Tables()) {
    if (news.rejoined || !hosting_.Here(id)) tables_.LetGo(id);
  }
}

bool Takeover::SweepIsDue(const cluster::BeatNews& news) {
  ++beats_since_sweep_;
  ++beats_since_change_;
  if (news.changed || news.rejoined) beats_since_change_ = 0;
  return failed_ || beats_since_change_ == 0 || beats_since_change_ == kBeatsToSettle ||
         beats_since_sweep_ >= kBeatsBetweenSweeps;
}

void Takeover::Run() {
  while (true) {
    absl::Time changed;
    {
      const std::lock_guard lock(mutex_);
      running_ = std::exchange(wanted_, false);
      if (!running_) return;
      beats_since_sweep_ = 0;
      changed = std::exchange(changed_, absl::InfiniteFuture());
    }
    const absl::Status status = Sweep();
    const std::lock_guard lock(mutex_);
    failed_ = !status.ok();
    if (failed_) {
      changed_ = std::min(changed_, changed);
    } else if (changed != absl::InfiniteFuture()) {
      metrics_.hosting.takeover_seconds.Observe(absl::ToDoubleSeconds(clock_.Now() - changed));
    }
  }
}

absl::Status Takeover::Sweep() {
  // Guests: tables of others whose calls were answered here.
  for (const TableId table : registry_.Tables()) {
    if (!hosting_.Here(table)) tables_.LetGo(table);
  }
  std::optional<TableKey> after;
  while (true) {
    TAROT_ASSIGN_OR_RETURN(const std::vector<LiveTable> page, store_.ListLive(after, kPage));
    TAROT_RETURN_IF_ERROR(TakeUp(page));
    if (page.size() < kPage) return absl::OkStatus();
    after = page.back().key;
  }
}

absl::Status Takeover::TakeUp(const std::vector<LiveTable>& page) {
  std::vector<TableId> missing;
  for (const LiveTable& live : page) {
    const TableId id = live.key.table;
    if (!hosting_.Here(id)) continue;
    const std::shared_ptr<Table> table = registry_.Find(id);
    if (table == nullptr || !table->taken_up) missing.push_back(id);
    if (table != nullptr && table->Snapshot()->revision < live.revision) {
      metrics_.hosting.tables_behind.Increment();
      tables_.CatchUp(id);
    }
  }
  for (std::size_t i = 0; i < missing.size(); i += kLoadRows) {
    const std::size_t end = std::min(missing.size(), i + kLoadRows);
    const std::vector<TableId> some(missing.begin() + static_cast<std::ptrdiff_t>(i),
                                    missing.begin() + static_cast<std::ptrdiff_t>(end));
    TAROT_RETURN_IF_ERROR(tables_.TakeUp(some));
    metrics_.hosting.tables_taken_up.Increment(static_cast<double>(some.size()));
  }
  return absl::OkStatus();
}

}  // namespace tarot::rules_service
