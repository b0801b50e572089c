#include "services/rules/app/outbox_relay.h"

namespace tarot::rules_service {
namespace {

constexpr int kBatch = 100;
// After so long the host is dead, or does not get through.
constexpr absl::Duration kHostsTime = absl::Seconds(10);

}  // namespace

OutboxRelay::OutboxRelay(TableStore& store, const Hosting& hosting, MatchSink& ratings,
                         MatchSink& matchmaking, WorkerPool& workers, Clock& clock,
                         Scheduler& scheduler, Metrics& metrics, absl::Duration interval)
    : store_(store),
      hosting_(hosting),
      ratings_(ratings),
      matchmaking_(matchmaking),
      workers_(workers),
      clock_(clock),
      scheduler_(scheduler),
      metrics_(metrics),
      interval_(interval) {}

void OutboxRelay::PlanNext() {
  scheduler_.After(interval_, [this] {
    const bool queued = workers_.TryRun([this] {
      RunOnce();
      PlanNext();
    });
    if (!queued) PlanNext();
  });
}

void OutboxRelay::RunOnce() {
  const absl::StatusOr<std::vector<OutboxItem>> items = store_.ListOutbox(kBatch);
  if (!items.ok()) return metrics_.outbox_failed.Increment();
  metrics_.outbox_pending.Set(static_cast<double>(items->size()));
  for (const OutboxItem& item : *items) {
    if (!Ours(item)) continue;
    bool fresh;
    {
      const std::lock_guard lock(mutex_);
      fresh = in_flight_.emplace(item.config.id, item.target).second;
    }
    if (fresh) Deliver(item);  // Without the lock: the answer may come at once, on this thread.
  }
}

bool OutboxRelay::Ours(const OutboxItem& item) const {
  return hosting_.Here(item.config.id) || clock_.Now() - item.finish_time >= kHostsTime;
}

void OutboxRelay::Deliver(const OutboxItem& item) {
  const Key key(item.config.id, item.target);
  MatchSink& sink = item.target == OutboxTarget::kRatings ? ratings_ : matchmaking_;
  sink.Deliver(item, [this, key](const absl::Status& status) {
    // A full queue only costs a second delivery, which the other side takes for what it is.
    const bool queued = workers_.TryRun([this, key, status] { Delivered(key, status); });
    if (!queued) Delivered(key, absl::UnavailableError("Workers are busy."));
  });
}

void OutboxRelay::Delivered(const Key& key, const absl::Status& status) {
  const absl::Status marked = status.ok() ? store_.MarkDelivered(key.first, key.second) : status;
  (marked.ok() ? metrics_.outbox_delivered : metrics_.outbox_failed).Increment();
  const std::lock_guard lock(mutex_);
  in_flight_.erase(key);
}

}  // namespace tarot::rules_service
