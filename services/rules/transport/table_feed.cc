#include "services/rules/transport/table_feed.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "libs/base/error.h"
#include "libs/status/wire.h"
#include "services/rules/app/errors.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {
namespace {

template <typename IdType = TableId>
std::optional<IdType> ParseId(const std::string& bytes) {
  std::array<std::uint8_t, 16> id;
  if (bytes.size() != id.size()) return std::nullopt;
  std::memcpy(id.data(), bytes.data(), id.size());
  return IdType{Uuid(id)};
}

absl::Status CheckRequest(const v1::WatchTablesRequest& request) {
  if (request.add_size() > kAddsPerRequest) return BadRequest("add", "at most 1,024 tables");
  for (const auto& add : request.add()) {
    if (!ParseId(add.table())) return BadRequest("add.table", "not 16 bytes");
  }
  for (const std::string& table : request.remove()) {
    if (!ParseId(table)) return BadRequest("remove", "not 16 bytes");
  }
  if (request.present_size() > kAddsPerRequest)
    return BadRequest("present", "at most 1,024 tables");
  for (const v1::TablePresence& present : request.present()) {
    if (!ParseId(present.table())) return BadRequest("present.table", "not 16 bytes");
    if (present.players_size() > rules::kPlayersMax) {
      return BadRequest("present.players", "more than the seats of a table");
    }
    for (const std::string& player : present.players()) {
      if (!ParseId(player)) return BadRequest("present.players", "not 16 bytes");
    }
  }
  return absl::OkStatus();
}

using google::protobuf::io::CodedOutputStream;

constexpr std::size_t kIdBytes = 16;

// The tags of fields of table_feed_service.proto. A tag is a field number with a wire type: 2 for
// bytes, 0 for a varint (an integer of variable length).
constexpr std::uint8_t kFrames = 1 << 3 | 2;
constexpr std::uint8_t kTable = 1 << 3 | 2;
constexpr std::uint8_t kRevision = 2 << 3 | 0;
constexpr std::uint8_t kShared = 3 << 3 | 2;
constexpr std::uint8_t kSeats = 4 << 3 | 2;
constexpr std::uint8_t kEnd = 5 << 3 | 2;
constexpr std::uint8_t kConnected = 6 << 3 | 2;
constexpr std::uint8_t kPlayer = 1 << 3 | 2;  // In SeatPart and in ConnectedPersons.
constexpr std::uint8_t kOwn = 2 << 3 | 2;
constexpr std::uint8_t kSeat = 3 << 3 | 0;

// Returns the size of a field whose content has `size` bytes. The result includes the tag and the
// length.
std::size_t FieldBytes(std::size_t size) {
  return 1 + CodedOutputStream::VarintSize32(static_cast<std::uint32_t>(size)) + size;
}

// Writes fields without a check of the size. The caller must provide enough memory.
class Writer {
 public:
  explicit Writer(std::uint8_t* to) : to_(to) {}

  void Begin(std::uint8_t tag, std::size_t size) {
    *to_++ = tag;
    to_ = CodedOutputStream::WriteVarint32ToArray(static_cast<std::uint32_t>(size), to_);
  }
  void Field(std::uint8_t tag, const void* bytes, std::size_t size) {
    Begin(tag, size);
    if (size > 0) std::memcpy(to_, bytes, size);
    to_ += size;
  }

 private:
  std::uint8_t* to_;
};

// A frame with its encoded parts and its encoded size.
struct Sized {
  const FeedFrame* frame;
  std::shared_ptr<const EncodedTable> table;  // Null if the frame shows no state.
  std::string end;                            // The bytes of a google.rpc.Status; empty for OK.
  std::vector<rules::Seat> people;
  std::size_t bytes = 0;
};

std::size_t SeatBytes(const EncodedTable& table, rules::Seat seat) {
  constexpr std::size_t kSeatFieldBytes = 2;  // A tag, and a varint below 128.
  return FieldBytes(kIdBytes) + FieldBytes(table.Own(seat).size()) + kSeatFieldBytes;
}

std::size_t ConnectedBytes(const std::vector<PlayerId>& players) {
  return players.size() * FieldBytes(kIdBytes);
}

Sized Measure(TableViews& views, const FeedFrame& frame) {
  Sized out{.frame = &frame, .bytes = FieldBytes(kIdBytes)};
  if (frame.end) {
    out.end = status::ToGrpc(*frame.end).error_details();
    out.bytes += FieldBytes(out.end.size());
  }
  if (frame.connected) out.bytes += FieldBytes(ConnectedBytes(*frame.connected));
  if (frame.state == nullptr) return out;
  const TableState& state = *frame.state;
  out.table = views.Of(frame.state);
  out.bytes += 1 + CodedOutputStream::VarintSize32(static_cast<std::uint32_t>(state.revision));
  out.bytes += FieldBytes(out.table->Shared().size());
  for (std::size_t i = 0; i < state.config->seats.size(); ++i) {
    if (state.config->seats[i].bot()) continue;
    out.people.push_back(static_cast<rules::Seat>(i));
    out.bytes += FieldBytes(SeatBytes(*out.table, out.people.back()));
  }
  return out;
}

void Write(const Sized& sized, Writer& writer) {
  writer.Begin(kFrames, sized.bytes);
  writer.Field(kTable, sized.frame->table.uuid.bytes().data(), kIdBytes);
  if (sized.frame->state != nullptr) {
    const TableState& state = *sized.frame->state;
    // Begin writes a tag and then its second argument. Normally the second argument is the length
    // of the field. Here it is the value of the field.
    writer.Begin(kRevision, static_cast<std::size_t>(state.revision));
    const grpc::Slice& shared = sized.table->Shared();
    writer.Field(kShared, shared.begin(), shared.size());
    for (const rules::Seat seat : sized.people) {
      const PlayerId player = state.config->seats[static_cast<std::size_t>(seat)].player;
      const grpc::Slice& own = sized.table->Own(seat);
      writer.Begin(kSeats, SeatBytes(*sized.table, seat));
      writer.Field(kPlayer, player.uuid.bytes().data(), kIdBytes);
      writer.Field(kOwn, own.begin(), own.size());
      writer.Begin(kSeat, static_cast<std::size_t>(seat));  // A value, as for kRevision.
    }
  }
  if (const auto& connected = sized.frame->connected) {
    writer.Begin(kConnected, ConnectedBytes(*connected));
    for (const PlayerId& player : *connected) {
      writer.Field(kPlayer, player.uuid.bytes().data(), kIdBytes);
    }
  }
  if (sized.frame->end) writer.Field(kEnd, sized.end.data(), sized.end.size());
}

// Returns the bytes of a WatchTablesResponse with these frames, in their order. All feeds share the
// encoded tables of `views`.
grpc::ByteBuffer FeedMessage(TableViews& views, const std::vector<FeedFrame>& frames) {
  std::vector<Sized> all;
  all.reserve(frames.size());
  std::size_t bytes = 0;
  for (const FeedFrame& frame : frames) {
    all.push_back(Measure(views, frame));
    bytes += FieldBytes(all.back().bytes);
  }
  const grpc::Slice slice(bytes);
  // Writing into the slice is safe, because the slice has no other owner yet.
  Writer writer(const_cast<std::uint8_t*>(slice.begin()));
  for (const Sized& sized : all) Write(sized, writer);
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace

// A watcher of one table that passes its states to the feed.
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
                                           Connections& connections, rpc::Dispatcher& dispatcher,
                                           Metrics& metrics) {
  const std::shared_ptr<TableFeed> feed(
      new TableFeed(tables, views, connections, dispatcher, metrics));
  feed->Begin();
  return feed;
}

TableFeed::TableFeed(TableService& tables, TableViews& views, Connections& connections,
                     rpc::Dispatcher& dispatcher, Metrics& metrics)
    : ServerBidiStream(dispatcher.Method("tarot.rules.v1.TableFeedService/WatchTables")),
      tables_(tables),
      views_(views),
      connections_(connections),
      dispatcher_(dispatcher),
      metrics_(metrics) {
  metrics_.feeds_open.Increment();
}

bool TableFeed::OnRequest(grpc::ByteBuffer& bytes) {
  heard_ = true;
  v1::WatchTablesRequest request;
  const bool parsed =
      grpc::SerializationTraits<v1::WatchTablesRequest>::Deserialize(&bytes, &request).ok();
  const absl::Status valid = parsed ? CheckRequest(request) : BadRequest("request", "malformed");
  if (!valid.ok()) {
    Close(valid);
    return false;
  }
  const auto shared = std::make_shared<const v1::WatchTablesRequest>(std::move(request));
  if (!dispatcher_.workers().TryRun(
          [this, self = shared_from_this(), shared] { Handle(*shared); })) {
    Refuse(*shared, Overloaded());
  }
  return false;
}

void TableFeed::Handle(const v1::WatchTablesRequest& request) {
  for (const std::string& table : request.remove()) Remove(*ParseId(table));
  for (const auto& add : request.add()) Add(*ParseId(add.table()), add.after_revision());
  ReportPresent(request);
  ReadNext();
}

void TableFeed::ReportPresent(const v1::WatchTablesRequest& request) {
  for (const v1::TablePresence& present : request.present()) {
    std::vector<PlayerId> players;
    for (const std::string& player : present.players()) {
      players.push_back(*ParseId<PlayerId>(player));
    }
    connections_.Report(*ParseId(present.table()), this, std::move(players));
  }
}

void TableFeed::Refuse(const v1::WatchTablesRequest& request, const absl::Status& status) {
  for (const std::string& table : request.remove()) Remove(*ParseId(table));
  for (const auto& add : request.add()) Remove(*ParseId(add.table()));
  {
    const std::lock_guard lock(mutex());
    for (const auto& add : request.add()) FrameOfLocked(*ParseId(add.table())).frame.end = status;
  }
  ReportPresent(request);
  ReadNext();
}

void TableFeed::Add(TableId table, int after_revision) {
  Remove(table);
  const auto watcher = std::make_shared<TableWatcher>(
      std::static_pointer_cast<TableFeed>(shared_from_this()), table);
  {
    const std::lock_guard lock(mutex());
    if (over_) return;
    subscriptions_[table].watcher = watcher;
  }
  connections_.Add(table, std::static_pointer_cast<TableFeed>(shared_from_this()));
  // If the stream ended before the line above, OnOver has removed nothing from connections_.
  if (!IsSubscribed(table, watcher)) return connections_.Remove(table, this);
  tables_.CheckExists(table, [this, watcher, table, after_revision](const absl::Status& exists) {
    if (exists.ok()) return Watch(table, after_revision, watcher);
    if (IsSubscribed(table, watcher)) End(table, exists);
  });
}

void TableFeed::Watch(TableId table, int after_revision,
                      const std::shared_ptr<TableWatcher>& watcher) {
  if (!IsSubscribed(table, watcher)) return;
  absl::StatusOr<std::function<void()>> forget =
      tables_.Watch(table, PlayerId(), after_revision, watcher);
  if (!forget.ok()) return End(table, forget.status());
  {
    const std::lock_guard lock(mutex());
    const auto found = subscriptions_.find(table);
    if (found != subscriptions_.end() && found->second.watcher == watcher) {
      found->second.forget = *std::move(forget);
      return;
    }
  }
  (*forget)();  // The subscription has ended during tables_.Watch().
}

bool TableFeed::IsSubscribed(TableId table, const std::shared_ptr<TableWatcher>& watcher) {
  const std::lock_guard lock(mutex());
  const auto found = subscriptions_.find(table);
  return found != subscriptions_.end() && found->second.watcher == watcher;
}

void TableFeed::Remove(TableId table) {
  Subscription old;
  {
    const std::lock_guard lock(mutex());
    const auto found = subscriptions_.find(table);
    if (found == subscriptions_.end()) return;
    old = std::move(found->second);
    subscriptions_.erase(found);
  }
  connections_.Remove(table, this);
  if (old.forget) old.forget();
}

TableFeed::WaitingFrame& TableFeed::FrameOfLocked(TableId table) {
  const auto [place, fresh] = place_.try_emplace(table, taken_ + waiting_.size());
  if (fresh) waiting_.push_back({.frame = {.table = table}, .since = dispatcher_.clock().Now()});
  return waiting_[place->second - taken_];
}

void TableFeed::Offer(TableId table, std::shared_ptr<const TableState> state) {
  {
    const std::lock_guard lock(mutex());
    if (closing_locked()) return;
    FeedFrame& frame = FrameOfLocked(table).frame;
    if (frame.state != nullptr) metrics_.feed_frames_replaced.Increment();
    frame.state = std::move(state);
    frame.end.reset();
  }
  Advance();
}

void TableFeed::ShowConnected(TableId table, const std::vector<PlayerId>& players) {
  {
    const std::lock_guard lock(mutex());
    if (closing_locked() || !subscriptions_.contains(table)) return;
    FrameOfLocked(table).frame.connected = players;
  }
  Advance();
}

void TableFeed::End(TableId table, const absl::Status& status) {
  connections_.Remove(table, this);
  // `old` must be destroyed without the lock, at the end of this function. `old` may be the last
  // owner of the watcher, and the watcher may be the last owner of this feed.
  Subscription old;
  {
    const std::lock_guard lock(mutex());
    const auto found = subscriptions_.find(table);
    if (found != subscriptions_.end()) {
      old = std::move(found->second);
      subscriptions_.erase(found);
    }
    if (closing_locked()) return;
    FrameOfLocked(table).frame.end = status;
  }
  Advance();
}

void TableFeed::Tick() {
  {
    const std::lock_guard lock(mutex());
    const bool silent = !std::exchange(wrote_since_tick_, false);
    if (!silent || writing_locked() || closing_locked()) return;
    empty_message_due_ = true;
  }
  Advance();
}

bool TableFeed::MayReadLocked() const { return waiting_.size() < kFramesWaitingMax; }

bool TableFeed::TakeLocked() {
  if (waiting_.empty()) return std::exchange(empty_message_due_, false);
  empty_message_due_ = false;
  for (; !waiting_.empty() && batch_.size() < kFramesPerMessage; ++taken_) {
    WaitingFrame& first = waiting_.front();
    batch_since_.push_back(first.since);
    place_.erase(first.frame.table);
    batch_.push_back(std::move(first.frame));
    waiting_.pop_front();
  }
  return true;
}

void TableFeed::Fill(grpc::ByteBuffer& message) {
  message = FeedMessage(views_, batch_);
  batch_.clear();
}

void TableFeed::DropLocked() {
  waiting_.clear();
  place_.clear();
}

void TableFeed::OnWritten() {
  const std::lock_guard lock(mutex());
  wrote_since_tick_ = true;
  const absl::Time now = dispatcher_.clock().Now();
  for (const absl::Time since : batch_since_) {
    metrics_.watch_lag_seconds.Observe(absl::ToDoubleSeconds(now - since));
  }
  metrics_.feed_frames_sent.Increment(static_cast<double>(batch_since_.size()));
  batch_since_.clear();
}

void TableFeed::OnOver() {
  absl::flat_hash_map<TableId, Subscription> all;
  {
    const std::lock_guard lock(mutex());
    over_ = true;
    all.swap(subscriptions_);
  }
  for (auto& [table, subscription] : all) {
    connections_.Remove(table, this);
    if (subscription.forget) subscription.forget();
  }
  metrics_.feeds_open.Decrement();
}

}  // namespace tarot::rules_service
