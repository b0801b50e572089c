#include "services/matchmaking/transport/convert.h"

#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/wire/values.h"

namespace tarot::matchmaking_service {
namespace {

v1::Ticket::State EncodeState(TicketState state) {
  switch (state) {
    case TicketState::kWaiting:
      return v1::Ticket::WAITING;
    case TicketState::kPlacing:
      return v1::Ticket::PLACING;
    case TicketState::kMatched:
      return v1::Ticket::MATCHED;
    case TicketState::kCancelled:
      return v1::Ticket::CANCELLED;
    case TicketState::kClosed:
      return v1::Ticket::CLOSED;
  }
  return v1::Ticket::STATE_UNSPECIFIED;
}

v1::Ticket::WaitReason EncodeReason(WaitReason reason) {
  switch (reason) {
    case WaitReason::kNone:
      return v1::Ticket::WAIT_REASON_UNSPECIFIED;
    case WaitReason::kTooFewPlayers:
      return v1::Ticket::TOO_FEW_PLAYERS;
    case WaitReason::kRatingsTooFar:
      return v1::Ticket::RATINGS_TOO_FAR;
    case WaitReason::kMakingTable:
      return v1::Ticket::MAKING_TABLE;
    case WaitReason::kNextWave:
      return v1::Ticket::NEXT_WAVE;
    case WaitReason::kMetJustNow:
      return v1::Ticket::MET_JUST_NOW;
  }
  return v1::Ticket::WAIT_REASON_UNSPECIFIED;
}

std::uint32_t Count(int count) { return static_cast<std::uint32_t>(count); }

}  // namespace

absl::StatusOr<TicketId> DecodeTicketName(absl::string_view name, absl::string_view field) {
  return wire::DecodeName<TicketId>(name, "tickets/", field);
}

absl::StatusOr<TableId> DecodeTableName(absl::string_view name, absl::string_view field) {
  return wire::DecodeName<TableId>(name, "tables/", field);
}

absl::StatusOr<Joining> DecodeJoining(const rpc::Caller& caller,
                                      const v1::CreateTicketRequest& request) {
  absl::string_view queue = request.queue();
  if (!absl::ConsumePrefix(&queue, "queues/") || queue.empty()) {
    return BadRequest("queue", "must be queues/{queue}");
  }
  const std::optional<RequestId> request_id = RequestId::Parse(request.request_id());
  if (!request_id || request_id->empty()) return BadRequest("request_id", "must be a UUID");
  return Joining{.player = caller.player,
                 .display_name = caller.display_name,
                 .queue = std::string(queue),
                 .request_id = *request_id};
}

void EncodeQueue(const Queue& queue, int waiting_count, v1::Queue* out) {
  out->set_name(absl::StrCat("queues/", queue.id));
  out->set_display_name(queue.display_name);
  out->set_player_count(Count(queue.player_count));
  out->set_rule_set(queue.rule_set);
  out->set_deal_count(Count(queue.deal_count));
  wire::EncodeDuration(queue.move_limit, out->mutable_move_limit());
  wire::EncodeDuration(queue.time_bank, out->mutable_time_bank());
  out->set_ranked(queue.ranked);
  if (queue.bot_fill_delay > absl::ZeroDuration()) {
    wire::EncodeDuration(queue.bot_fill_delay, out->mutable_bot_fill_delay());
  }
  out->set_waiting_count(Count(waiting_count));
}

void EncodeTicket(const TicketView& view, v1::Ticket* out) {
  const Ticket& ticket = view.ticket;
  out->set_name(absl::StrCat("tickets/", ticket.id.ToString()));
  out->set_queue(absl::StrCat("queues/", ticket.queue));
  out->set_state(EncodeState(ticket.state));
  wire::EncodeTime(ticket.create_time, out->mutable_create_time());
  out->set_position(Count(view.position));
  out->set_waiting_count(Count(view.waiting_count));
  out->set_wait_reason(EncodeReason(view.wait_reason));
  out->set_rating_window(Count(view.rating_window));
  if (ticket.state == TicketState::kMatched || ticket.state == TicketState::kClosed) {
    out->set_table(absl::StrCat("tables/", ticket.table.ToString()));
  }
}

void EncodeTable(const Queue& queue, const PlannedTable& table,
                 tarot::rules::v1::CreateTableRequest* out) {
  out->set_name(absl::StrCat("tables/", table.id.ToString()));
  for (const Seat& seat : table.seats) {
    tarot::rules::v1::Seat* encoded = out->add_seats();
    encoded->set_player(absl::StrCat("players/", seat.player.ToString()));
    encoded->set_display_name(seat.display_name);
    encoded->set_bot_level(seat.bot_level);
  }
  out->set_rule_set(queue.rule_set);
  out->set_deal_count(Count(queue.deal_count));
  wire::EncodeDuration(queue.move_limit, out->mutable_clocks()->mutable_move_limit());
  wire::EncodeDuration(queue.time_bank, out->mutable_clocks()->mutable_time_bank());
  out->set_ranked(queue.ranked);
}

}  // namespace tarot::matchmaking_service
