#include "services/rules/transport/table_watcher.h"

#include <utility>

#include "services/rules/transport/encoded_table.h"

namespace tarot::rules_service {

std::shared_ptr<TableWatcher> TableWatcher::Create(Clock& clock, rpc::MethodMetrics metrics,
                                                   prometheus::Histogram& lag) {
  auto stream = Stream::Create(clock, std::move(metrics));
  const std::shared_ptr<TableWatcher> watcher(new TableWatcher(stream));
  stream->set_on_written(
      [&lag](absl::Duration taken) { lag.Observe(absl::ToDoubleSeconds(taken)); });
  // The stream keeps the watcher until it is over, and the watcher the stream.
  stream->set_on_done([watcher] { watcher->OnDone(); });
  return watcher;
}

void TableWatcher::Show(const std::shared_ptr<const TableState>& state, rules::Seat viewer) {
  stream_->Offer(TableResponse(*state, viewer));
}

void TableWatcher::Attach(std::function<void()> forget) {
  {
    const std::lock_guard lock(mutex_);
    if (!done_) {
      forget_ = std::move(forget);
      return;
    }
  }
  forget();
}

void TableWatcher::OnDone() {
  std::function<void()> forget;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
    forget = std::exchange(forget_, nullptr);
  }
  if (forget) forget();
}

}  // namespace tarot::rules_service
