#include "services/rules/transport/table_feed.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "libs/base/error.h"
#include "libs/status/wire.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {
namespace {

std::optional<TableId> ParseId(const std::string& bytes) {
  std::array<std::uint8_t, 16> id;
  if (bytes.size() != id.size()) return std::nullopt;
  std::memcpy(id.data(), bytes.data(), id.size());
  return TableId{Uuid(id)};
}

absl::Status CheckRequest(const v1::WatchTablesRequest& request) {
  if (request.add_size() > kAddsPerRequest) return BadRequest("add", "at most 1,024 tables");
  for (const auto& add : request.add()) {
    if (!ParseId(add.table())) return BadRequest("add.table", "not 16 bytes");
  }
  for (const std::string& table : request.remove()) {
    if (!ParseId(table)) return BadRequest("remove", "not 16 bytes");
  }
  return absl::OkStatus();
}

}  // namespace

// One table's place in the feed.
class TableFeed::TableWatcher final : public Watcher {
 public:
  TableWatcher(std::shared_ptr<TableFeed> feed, TableId table)
      : feed_(std::move(feed)), table_(table) {}

  void Show(const std::shared_ptr<const TableState>& state, rules::Seat) override {
    feed_->Offer(table_, state);
  }
  void End(const absl::Status& status) override { feed_->End(table_, status); }

 private:
  const std::shared_ptr<TableFeed> feed_;
  const TableId table_;
};

std::shared_ptr<TableFeed> TableFeed::Open(TableService& tables, TableViews& views,
                                           rpc::Dispatcher& dispatcher, Metrics& metrics) {
  const std::shared_ptr<TableFeed> feed(new TableFeed(tables, views, dispatcher, metrics));
  feed->self_ = feed;
  feed->Advance();
  return feed;
}

TableFeed::TableFeed(TableService& tables, TableViews& views, rpc::Dispatcher& dispatcher,
                     Metrics& metrics)
    : tables_(tables),
      views_(views),
      dispatcher_(dispatcher),
      metrics_(metrics),
      calls_(dispatcher.Method("tarot.rules.v1.TableFeedService/WatchTables")),
      start_(dispatcher.clock().Now()) {
  calls_.Started();
  metrics_.feeds_open.Increment();
}

void TableFeed::OnReadDone(bool ok) {
  if (!ok) return Close(absl::OkStatus());  // The gateway wants no more, or is gone.
  calls_.MessageReceived();
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return;  // It may be a stranger's: no table is loaded for it.
  }
  heard_ = true;
  v1::WatchTablesRequest request;
  const bool parsed =
      grpc::SerializationTraits<v1::WatchTablesRequest>::Deserialize(&request_, &request).ok();
  const absl::Status fine = parsed ? CheckRequest(request) : BadRequest("request", "malformed");
  if (!fine.ok()) return Close(fine);
  const auto shared = std::make_shared<const v1::WatchTablesRequest>(std::move(request));
  if (!dispatcher_.workers().TryRun([self = self_, shared] { self->Handle(*shared); })) {
    Refuse(*shared, Error(absl::StatusCode::kUnavailable, "OVERLOADED", "The server is busy."));
  }
}

void TableFeed::Handle(const v1::WatchTablesRequest& request) {
  for (const std::string& table : request.remove()) Remove(*ParseId(table));
  for (const auto& add : request.add()) Add(*ParseId(add.table()), add.after_revision());
  {
    const std::lock_guard lock(mutex_);
    read_wanted_ = true;
  }
  Advance();
}

void TableFeed::Refuse(const v1::WatchTablesRequest& request, const absl::Status& status) {
  for (const std::string& table : request.remove()) Remove(*ParseId(table));
  for (const auto& add : request.add()) Remove(*ParseId(add.table()));
  {
    const std::lock_guard lock(mutex_);
    for (const auto& add : request.add()) WaitingOf(*ParseId(add.table())).frame.end = status;
    read_wanted_ = true;
  }
  Advance();
}

void TableFeed::Add(TableId table, int after_revision) {
  Remove(table);
  const auto watcher = std::make_shared<TableWatcher>(shared_from_this(), table);
  {
    const std::lock_guard lock(mutex_);
    if (done_) return;
    subscriptions_[table].watcher = watcher;
  }
  absl::StatusOr<std::function<void()>> forget =
      tables_.Watch(table, PlayerId(), after_revision, watcher);
  if (!forget.ok()) return End(table, forget.status());
  {
    const std::lock_guard lock(mutex_);
    const auto found = subscriptions_.find(table);
    if (found != subscriptions_.end()) {
      found->second.forget = *std::move(forget);
      return;
    }
  }
  (*forget)();  // It ended meanwhile.
}

void TableFeed::Remove(TableId table) {
  Subscription old;
  {
    const std::lock_guard lock(mutex_);
    const auto found = subscriptions_.find(table);
    if (found == subscriptions_.end()) return;
    old = std::move(found->second);
    subscriptions_.erase(found);
  }
  if (old.forget) old.forget();
}

TableFeed::Waiting& TableFeed::WaitingOf(TableId table) {
  const auto [place, fresh] = place_.try_emplace(table, taken_ + waiting_.size());
  if (fresh) waiting_.push_back({.frame = {.table = table}, .since = dispatcher_.clock().Now()});
  return waiting_[place->second - taken_];
}

void TableFeed::Offer(TableId table, std::shared_ptr<const TableState> state) {
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return;
    FeedFrame& frame = WaitingOf(table).frame;
    if (frame.state != nullptr) metrics_.feed_frames_replaced.Increment();
    frame.state = std::move(state);
    frame.end.reset();
  }
  Advance();
}

void TableFeed::End(TableId table, const absl::Status& status) {
  Subscription old;  // Its last owner may be the caller: gone after the lock.
  {
    const std::lock_guard lock(mutex_);
    const auto found = subscriptions_.find(table);
    if (found != subscriptions_.end()) {
      old = std::move(found->second);
      subscriptions_.erase(found);
    }
    if (closing_) return;
    WaitingOf(table).frame.end = status;
  }
  Advance();
}

void TableFeed::Tick() {
  {
    const std::lock_guard lock(mutex_);
    const bool silent = !std::exchange(wrote_since_tick_, false);
    if (!silent || writing_ || finished_ || closing_) return;
    writing_ = true;
  }
  message_ = FeedMessage(views_, {});
  StartWrite(&message_);
}

void TableFeed::Close(const absl::Status& status) {
  {
    const std::lock_guard lock(mutex_);
    if (!closing_) closing_ = status;
  }
  Advance();
}

std::vector<FeedFrame> TableFeed::TakeBatch() {
  std::vector<FeedFrame> batch;
  for (; !waiting_.empty() && batch.size() < kFramesPerMessage; ++taken_) {
    Waiting& first = waiting_.front();
    writing_since_.push_back(first.since);
    place_.erase(first.frame.table);
    batch.push_back(std::move(first.frame));
    waiting_.pop_front();
  }
  return batch;
}

void TableFeed::ReadNext() {
  if (!read_wanted_ || closing_ || waiting_.size() >= kFramesWaitingMax) return;
  read_wanted_ = false;
  StartRead(&request_);
}

void TableFeed::Advance() {
  std::vector<FeedFrame> batch;
  {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    ReadNext();
    if (writing_) return;
    if (waiting_.empty()) {
      if (!closing_) return;
      finished_ = true;
      return Finish(status::ToGrpc(*closing_));
    }
    writing_ = true;
    batch = TakeBatch();
  }
  message_ = FeedMessage(views_, batch);  // Encoded outside the lock: others may offer meanwhile.
  StartWrite(&message_);
}

void TableFeed::OnWriteDone(bool ok) {
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    wrote_since_tick_ = true;
    const absl::Time now = dispatcher_.clock().Now();
    for (const absl::Time since : writing_since_) {
      metrics_.watch_lag_seconds.Observe(absl::ToDoubleSeconds(now - since));
    }
    metrics_.feed_frames_sent.Increment(static_cast<double>(writing_since_.size()));
    writing_since_.clear();
    if (ok) calls_.MessageSent();
  }
  if (!ok) OnCancel();
  Advance();
}

void TableFeed::OnCancel() {
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    place_.clear();
    if (!closing_) closing_ = absl::CancelledError("The gateway is gone.");
  }
  Advance();
}

void TableFeed::OnDone() {
  const std::shared_ptr<TableFeed> last = std::move(self_);
  absl::flat_hash_map<TableId, Subscription> all;
  absl::StatusCode code;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
    all.swap(subscriptions_);
    code = closing_->code();
  }
  for (auto& [table, subscription] : all) {
    if (subscription.forget) subscription.forget();
  }
  metrics_.feeds_open.Decrement();
  calls_.Handled(code, dispatcher_.clock().Now() - start_);
}

}  // namespace tarot::rules_service
