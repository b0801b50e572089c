#include "services/gateway/transport/feed_client.h"

#include <array>
#include <cstring>
#include <utility>

#include "libs/status/wire.h"

namespace tarot::gateway {
namespace {

constexpr int kSilentTicksMax = 6;  // Three seconds; a sign of life comes each second.
constexpr absl::Duration kReopenDelay = absl::Milliseconds(200);
constexpr int kAddsPerRequest = 1024;  // As the proto says.

std::string Bytes(TableId table) {
  const auto& bytes = table.uuid.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename IdType>
IdType ParseId(const std::string& bytes) {
  std::array<std::uint8_t, 16> id{};
  if (bytes.size() == id.size()) std::memcpy(id.data(), bytes.data(), id.size());
  return IdType{Uuid(id)};
}

}  // namespace

FeedClient::FeedClient(std::string address, rules::v1::TableFeedService::Stub& stub, TableHub& hub,
                       const rpc::Authenticator& inward, Clock& clock, Scheduler& scheduler,
                       rpc::MethodMetrics calls, Metrics& metrics)
    : address_(std::move(address)),
      stub_(stub),
      hub_(hub),
      inward_(inward),
      clock_(clock),
      scheduler_(scheduler),
      calls_(std::move(calls)),
      metrics_(metrics) {}

void FeedClient::Open() {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    self_ = shared_from_this();
    start_ = clock_.Now();
    silent_ticks_ = 0;
    heard_ = false;
    context_.emplace();
    inward_.Sign(*context_, rpc::Caller{.service = "gateway"});
    calls_.Started();
    stub_.async()->WatchTables(&*context_, this);
    AddHold();  // Writes begin on other threads; given back when reads end.
    StartRead(&response_);
    StartCall();
    open_ = true;
  }
  hub_.OnOpen(address_);
}

void FeedClient::Add(TableId table, int after_revision) { Want(table, after_revision); }

void FeedClient::Remove(TableId table) { Want(table, std::nullopt); }

void FeedClient::Want(TableId table, std::optional<int> after_revision) {
  const std::lock_guard lock(mutex_);
  if (!open_) return;
  wanted_[table] = after_revision;
  Write();
}

void FeedClient::Write() {
  if (!writing_ && open_ && !wanted_.empty()) Send();
}

void FeedClient::Send() {
  request_.Clear();
  for (auto at = wanted_.begin(); at != wanted_.end() && request_.add_size() < kAddsPerRequest;) {
    const auto here = at++;
    if (here->second) {
      rules::v1::TableSubscription* add = request_.add_add();
      add->set_table(Bytes(here->first));
      add->set_after_revision(*here->second);
    } else {
      request_.add_remove(Bytes(here->first));
    }
    wanted_.erase(here);
  }
  writing_ = true;
  calls_.MessageSent();
  StartWrite(&request_);
}

void FeedClient::OnWriteDone(bool ok) {
  const std::lock_guard lock(mutex_);
  writing_ = false;
  if (ok) Write();
}

void FeedClient::OnReadDone(bool ok) {
  {
    const std::lock_guard lock(mutex_);
    if (!ok) open_ = heard_ = false;
    if (ok) heard_ = true;
    if (ok) silent_ticks_ = 0;
  }
  if (!ok) return RemoveHold();
  calls_.MessageReceived();
  for (rules::v1::TableFrame& frame : *response_.mutable_frames()) Show(frame);
  StartRead(&response_);
}

void FeedClient::Show(rules::v1::TableFrame& frame) {
  const TableId table = ParseId<TableId>(frame.table());
  if (!frame.shared().empty()) {
    const auto shown = std::make_shared<Frame>();
    shown->revision = frame.revision();
    shown->shared = std::move(*frame.mutable_shared());
    for (rules::v1::SeatPart& part : *frame.mutable_seats()) {
      shown->parts.push_back(
          {.player = ParseId<PlayerId>(part.player()), .own = std::move(*part.mutable_own())});
    }
    shown->arrive_time = clock_.Now();
    hub_.OnFrame(address_, table, shown);
  }
  if (!frame.has_end()) return;
  const google::rpc::Status& end = frame.end();
  hub_.OnEnd(address_, table,
             status::FromGrpc(grpc::Status(static_cast<grpc::StatusCode>(end.code()), end.message(),
                                           end.SerializeAsString())));
}

void FeedClient::OnDone(const grpc::Status& status) {
  hub_.OnLost(address_, silent_ticks_);
  std::shared_ptr<FeedClient> last;  // Gone after the lock.
  const std::lock_guard lock(mutex_);
  calls_.Handled(static_cast<absl::StatusCode>(status.error_code()), clock_.Now() - start_);
  wanted_.clear();
  writing_ = false;
  context_.reset();
  last = std::move(self_);
  done_.notify_all();
  if (closed_) return;
  metrics_.feeds_lost.Increment();
  scheduler_.After(kReopenDelay, [weak = weak_from_this()] {
    if (const std::shared_ptr<FeedClient> feed = weak.lock()) feed->Open();
  });
}

void FeedClient::Tick() {
  const std::lock_guard lock(mutex_);
  if (self_ == nullptr) return;
  if (++silent_ticks_ == kSilentTicksMax) context_->TryCancel();
  // Shows the replica that it is reached.
  if (ticks_++ % 2 == 0 && open_ && !writing_) Send();
}

void FeedClient::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  if (self_ != nullptr) context_->TryCancel();
}

bool FeedClient::over() {
  const std::lock_guard lock(mutex_);
  return closed_ && self_ == nullptr;
}

void FeedClient::Wait() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return closed_ && self_ == nullptr; });
}

}  // namespace tarot::gateway
