#include "services/rules/app/group_appender.h"

#include <algorithm>
#include <utility>

#include "libs/base/error.h"
#include "libs/base/write_batch.h"

namespace tarot::rules_service {
namespace {

// The `done` callbacks whose answers and views go to the streams together. A larger number would
// make the first of them wait too long.
constexpr std::size_t kDonePerWrite = 32;

absl::Status Refusal() {
  return Error(absl::StatusCode::kResourceExhausted, "OVERLOADED", "The server is busy.");
}

}  // namespace

GroupAppender::GroupAppender(TableStore& store, WorkerPool& threads, Clock& clock,
                             Scheduler& scheduler, Metrics& metrics, GroupAppenderOptions options)
    : store_(store),
      threads_(threads),
      clock_(clock),
      scheduler_(scheduler),
      metrics_(metrics),
      options_(options) {}

void GroupAppender::Append(NewEntry entry, Done done) {
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    full = queue_.size() >= static_cast<std::size_t>(options_.queue_rows_max);
    if (!full) queue_.push_back({std::move(entry), std::move(done), clock_.Now()});
  }
  if (full) return done(Refusal());
  // The appender outlives every batch of a thread that appends, so the batch need not keep it.
  if (!WriteBatch::Join(*this, [] { return nullptr; })) WriteWaiting();
}

void GroupAppender::WriteWaiting() {
  bool begin = false;
  bool set_timer = false;
  {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) return;  // A statement has taken the entries.
    const bool may = running_ < options_.batches_max;
    const bool whole = queue_.size() >= static_cast<std::size_t>(options_.batch_rows_max);
    begin = running_ == 0 || (may && whole);
    if (begin) ++running_;
    set_timer = !begin && may && !std::exchange(timer_set_, true);
  }
  if (begin) return Begin();
  if (set_timer) scheduler_.After(options_.linger_max, [this] { OnTimer(); });
}

void GroupAppender::OnTimer() {
  absl::Duration left = absl::InfiniteDuration();
  {
    const std::lock_guard lock(mutex_);
    timer_set_ = false;
    // If batches_max statements run, the entries wait. When a running statement ends, the next
    // statement stores them.
    if (queue_.empty() || running_ >= options_.batches_max) return;
    left = queue_.front().since + options_.linger_max - clock_.Now();
    if (left <= absl::ZeroDuration()) {
      ++running_;
    } else {
      timer_set_ = true;
    }
  }
  if (left <= absl::ZeroDuration()) return Begin();
  scheduler_.After(left, [this] { OnTimer(); });
}

void GroupAppender::Begin() {
  if (!threads_.TryRun([this] { Run(); })) RefuseAll();
}

void GroupAppender::Run() {
  Batch batch = Take();
  std::vector<absl::StatusOr<Appended>> results;
  // The batch is empty if other batches have taken all entries that waited.
  if (!batch.entries.empty()) {
    metrics_.append_batch_rows.Observe(static_cast<double>(batch.entries.size()));
    results = store_.Append(batch.entries);
  }
  bool more = false;
  {
    const std::lock_guard lock(mutex_);
    more = !queue_.empty();
    if (!more) --running_;
  }
  if (more) Begin();  // The next batch runs on another thread, while this thread calls `done`.
  for (std::size_t i = 0; i < results.size();) {
    const WriteBatch writes;
    const std::size_t end = std::min(results.size(), i + kDonePerWrite);
    for (; i < end; ++i) batch.done[i](std::move(results[i]));
  }
}

GroupAppender::Batch GroupAppender::Take() {
  Batch batch;
  const absl::Time now = clock_.Now();
  const std::lock_guard lock(mutex_);
  const auto rows = std::min(queue_.size(), static_cast<std::size_t>(options_.batch_rows_max));
  batch.entries.reserve(rows);
  batch.done.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    Waiting& first = queue_.front();
    metrics_.append_wait_seconds.Observe(absl::ToDoubleSeconds(now - first.since));
    batch.entries.push_back(std::move(first.entry));
    batch.done.push_back(std::move(first.done));
    queue_.pop_front();
  }
  return batch;
}

void GroupAppender::RefuseAll() {
  std::deque<Waiting> refused;
  {
    const std::lock_guard lock(mutex_);
    --running_;
    refused.swap(queue_);
  }
  for (Waiting& waiting : refused) waiting.done(Refusal());
}

}  // namespace tarot::rules_service
