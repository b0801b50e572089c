#include "services/rules/app/outbox_relay.h"

#include <algorithm>

#include "services/rules/limits.h"

namespace tarot::rules_service {
namespace {

bool IsRefusal(const absl::Status& status) {
  return !status.ok() && !absl::IsUnavailable(status) && !absl::IsDeadlineExceeded(status) &&
         !absl::IsCancelled(status);
}

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

void OutboxRelay::Hurry() {
  if (hurried_.exchange(true)) return;
  const bool queued = workers_.TryRun([this] {
    hurried_ = false;
    RunOnce();
  });
  if (!queued) hurried_ = false;  // The next regular run will deliver the results.
}

void OutboxRelay::RunOnce() {
  {
    const std::lock_guard lock(mutex_);
    // Forget the backoff of each delivery whose pause ended more than kOutboxBackoffMax ago. If the
    // match of such a delivery were still in the outbox, this replica would have tried again. So
    // another replica must have delivered the match.
    std::erase_if(backoffs_, [now = clock_.Now()](const auto& entry) {
      return entry.second.until + kOutboxBackoffMax < now;
    });
  }
  std::size_t seen = 0;
  int begun = 0;
  for (int page = 0; page < kOutboxPagesMax; ++page) {
    absl::StatusOr<std::vector<OutboxItem>> items =
        store_.ListOutbox(kOutboxPageSize, page * kOutboxPageSize);
    if (!items.ok()) return metrics_.outbox_failed.Increment();
    // Matchmaking comes first, because players may wait to join the next match.
    std::stable_partition(items->begin(), items->end(), [](const OutboxItem& item) {
      return item.target == OutboxTarget::kMatchmaking;
    });
    seen += items->size();
    begun += DeliverPage(*items);
    if (begun >= kOutboxPageSize || items->size() < kOutboxPageSize) break;
  }
  metrics_.outbox_pending.Set(static_cast<double>(seen));
}

int OutboxRelay::DeliverPage(const std::vector<OutboxItem>& items) {
  int begun = 0;
  for (const OutboxItem& item : items) {
    if (!Ours(item) || !Begin({item.config.id, item.target})) continue;
    ++begun;
    // Do not hold the lock while calling Deliver. The answer may come at once, on this thread, and
    // the function that handles the answer takes the lock.
    Deliver(item);
  }
  return begun;
}

bool OutboxRelay::Begin(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto backoff = backoffs_.find(key);
  const bool due = backoff == backoffs_.end() || backoff->second.until <= clock_.Now();
  return due && in_flight_.insert(key).second;
}

bool OutboxRelay::Ours(const OutboxItem& item) const {
  return hosting_.Here(item.config.id) || clock_.Now() - item.finish_time >= kOutboxHostTime;
}

void OutboxRelay::Deliver(const OutboxItem& item) {
  const Key key(item.config.id, item.target);
  std::vector<FinishedDeal> deals;
  const bool for_matchmaking = item.target == OutboxTarget::kMatchmaking;
  const bool fewer = item.end.deals_scored < item.config.deal_count;
  if (for_matchmaking || item.config.ranked || fewer) {
    absl::StatusOr<std::vector<FinishedDeal>> read = ReadFinishedDeals(store_, item);
    if (for_matchmaking) {
      // Matchmaking lets the players join another match only after this delivery. So the delivery
      // goes out even if the deals cannot be read.
      if (read.ok()) deals = *std::move(read);
    } else if (read.ok()) {
      deals = *std::move(read);
    } else if (IsRefusal(read.status()) && clock_.Now() - item.finish_time >= kOutboxDealsTime) {
      // An operator has had an hour to make the deals readable, for example to restore a lost key.
      // That time is over now. The relay sends the match without its deals, because otherwise the
      // players would get no ratings.
      if (on_deals_lost_) on_deals_lost_(item.config.id, read.status());
    } else {
      return Delivered(key, read.status());
    }
  }
  const bool ended = EndedByOperator(item, deals);
  if (ended && !for_matchmaking) return Delivered(key, absl::OkStatus());
  // If an operator has ended the match, no player counts as having left it. The ratings service
  // uses no deals of a casual match.
  if (ended || (!for_matchmaking && !item.config.ranked)) deals.clear();
  MatchSink& sink = item.target == OutboxTarget::kRatings ? ratings_ : matchmaking_;
  sink.Deliver(item, deals, [this, key](const absl::Status& status) {
    // If the queue of the workers is full, the confirmation is not stored, and the relay delivers
    // the match again. The other service recognises this repeat.
    const bool queued = workers_.TryRun([this, key, status] { Delivered(key, status); });
    if (!queued) Delivered(key, absl::UnavailableError("Workers are busy."));
  });
}

void OutboxRelay::Delivered(const Key& key, const absl::Status& status) {
  if (IsRefusal(status) && on_refused_) on_refused_(key.first, key.second, status);
  const absl::Status marked = status.ok() ? store_.MarkDelivered(key.first, key.second) : status;
  (marked.ok() ? metrics_.outbox_delivered : metrics_.outbox_failed).Increment();
  const std::lock_guard lock(mutex_);
  in_flight_.erase(key);
  if (marked.ok()) {
    backoffs_.erase(key);
    return;
  }
  Backoff& backoff = backoffs_[key];
  backoff.span = std::clamp(2 * backoff.span, kOutboxBackoffMin, kOutboxBackoffMax);
  backoff.until = clock_.Now() + backoff.span;
}

}  // namespace tarot::rules_service
