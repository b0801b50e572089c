#include "services/gateway/transport/feed_client.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "libs/status/wire.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {
namespace {

std::string Bytes(const Uuid& id) {
  const auto& bytes = id.bytes();
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
                       const rpc::Authenticator& identity, Clock& clock, Scheduler& scheduler,
                       rpc::MethodMetrics calls, Metrics& metrics)
    : ClientBidiStream(scheduler, std::move(calls)),
      address_(std::move(address)),
      stub_(stub),
      hub_(hub),
      identity_(identity),
      clock_(clock),
      metrics_(metrics) {}

void FeedClient::BindLocked(grpc::ClientContext& context) {
  identity_.Sign(context, Caller{.service = "gateway"});
  stub_.async()->WatchTables(&context, this);
}

void FeedClient::Want(TableId table, std::optional<int> after_revision) {
  const std::lock_guard lock(mutex());
  if (!open_locked()) return;
  wanted_[table] = after_revision;
  present_.erase(table);
  AdvanceLocked();
}

void FeedClient::ReportPresent(TableId table, const std::vector<PlayerId>& players) {
  const std::lock_guard lock(mutex());
  if (!open_locked()) return;
  present_[table] = players;
  AdvanceLocked();
}

FeedClient::Next FeedClient::TakeLocked(rules::v1::WatchTablesRequest& request) {
  const bool due = std::exchange(empty_message_due_, false);
  if (!due && wanted_.empty() && present_.empty()) return Next::kNothing;
  request.Clear();
  for (auto at = wanted_.begin(); at != wanted_.end() && request.add_size() < kAddsPerRequest;) {
    const auto here = at++;
    if (here->second) {
      rules::v1::TableSubscription* add = request.add_add();
      add->set_table(Bytes(here->first.uuid));
      add->set_after_revision(*here->second);
    } else {
      request.add_remove(Bytes(here->first.uuid));
    }
    wanted_.erase(here);
  }
  for (auto at = present_.begin(); at != present_.end() && request.present_size() < kAddsPerRequest;
       present_.erase(at++)) {
    rules::v1::TablePresence* const present = request.add_present();
    present->set_table(Bytes(at->first.uuid));
    for (const PlayerId& player : at->second) present->add_players(Bytes(player.uuid));
  }
  return Next::kMessage;
}

void FeedClient::OnMessage(rules::v1::WatchTablesResponse& response) {
  for (rules::v1::TableFrame& frame : *response.mutable_frames()) Show(frame);
}

void FeedClient::Show(rules::v1::TableFrame& frame) {
  const TableId table = ParseId<TableId>(frame.table());
  if (!frame.shared().empty()) {
    const auto shown = std::make_shared<Frame>();
    shown->revision = frame.revision();
    shown->shared = std::move(*frame.mutable_shared());
    for (rules::v1::SeatPart& part : *frame.mutable_seats()) {
      const auto seat = static_cast<int>(std::min<std::uint32_t>(part.seat(), kSeatsMax - 1));
      shown->parts.push_back({.player = ParseId<PlayerId>(part.player()),
                              .own = std::move(*part.mutable_own()),
                              .seat = seat});
    }
    shown->arrive_time = clock_.Now();
    hub_.OnFrame(address_, table, shown);
  }
  if (frame.has_connected()) {
    std::vector<PlayerId> connected;
    for (const std::string& player : frame.connected().players()) {
      connected.push_back(ParseId<PlayerId>(player));
    }
    hub_.OnConnected(address_, table, std::move(connected));
  }
  if (!frame.has_end()) return;
  const google::rpc::Status& end = frame.end();
  hub_.OnEnd(address_, table,
             status::FromGrpc(grpc::Status(static_cast<grpc::StatusCode>(end.code()), end.message(),
                                           end.SerializeAsString())));
}

std::optional<absl::Duration> FeedClient::OnLost(const grpc::Status&, int) {
  hub_.OnLost(address_, silent_ticks());
  if (!closed()) metrics_.feeds_lost.Increment();
  const std::lock_guard lock(mutex());
  wanted_.clear();
  present_.clear();
  return kReopenDelay;
}

void FeedClient::Tick() {
  const std::lock_guard lock(mutex());
  TickLocked(kSilentTicksMax);
  if (ticks_++ % 2 != 0 || !open_locked() || writing_locked()) return;
  empty_message_due_ = true;
  AdvanceLocked();
}

}  // namespace tarot::gateway_service
