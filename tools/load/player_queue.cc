// How a player of a load comes to a table by matchmaking.
#include <utility>

#include "libs/rpc/channel.h"
#include "libs/status/wire.h"
#include "tools/load/player.h"

namespace tarot::load {
namespace {

using matchmaking::v1::Ticket;

constexpr absl::Duration kAgain = absl::Milliseconds(400);
constexpr absl::Duration kCallTimeout = absl::Seconds(5);

// One call about a ticket, and what it holds until its answer.
template <typename Request, typename Response>
struct TicketCall {
  grpc::ClientContext context;
  Request request;
  Response response;
};

}  // namespace

void Player::Queue() { After(absl::ZeroDuration(), &Player::CreateTicket); }

void Player::CreateTicket() {
  using namespace matchmaking::v1;
  const auto call = std::make_shared<TicketCall<CreateTicketRequest, CreateTicketResponse>>();
  if (ticket_request_.empty()) ticket_request_ = shared_.entropy.NewUuid().ToString();
  call->request.set_queue(shared_.options.queue);
  call->request.set_request_id(ticket_request_);
  Prepare(call->context);
  rpc::SetTimeout(call->context, kCallTimeout);
  ++shared_.running;
  AnyGateway().matchmaking.async()->CreateTicket(&call->context, &call->request, &call->response,
                                                 [this, call](const grpc::Status& status) {
                                                   OnTicket(status, call->response.ticket());
                                                   --shared_.running;
                                                 });
}

void Player::PollTicket() {
  using namespace matchmaking::v1;
  const auto call = std::make_shared<TicketCall<GetTicketRequest, GetTicketResponse>>();
  call->request.set_name(ticket_);
  Prepare(call->context);
  rpc::SetTimeout(call->context, kCallTimeout);
  ++shared_.running;
  AnyGateway().matchmaking.async()->GetTicket(&call->context, &call->request, &call->response,
                                              [this, call](const grpc::Status& status) {
                                                OnTicket(status, call->response.ticket());
                                                --shared_.running;
                                              });
}

void Player::OnTicket(const grpc::Status& status, const Ticket& ticket) {
  {
    const std::lock_guard lock(mutex_);
    if (shared_.stopping) return;
    if (!status.ok()) {
      // The last match may not be known to be over yet.
      const bool taken = status.error_code() == grpc::StatusCode::ALREADY_EXISTS;
      if (taken) ticket_request_.clear();
      return After(kAgain, ticket_.empty() ? &Player::CreateTicket : &Player::PollTicket);
    }
    ticket_ = ticket.name();
    const bool waits = ticket.state() == Ticket::WAITING || ticket.state() == Ticket::PLACING;
    if (waits) return After(kAgain, &Player::PollTicket);
    ticket_.clear();
    ticket_request_.clear();
    if (ticket.state() != Ticket::MATCHED) return After(kAgain, &Player::CreateTicket);
  }
  Sit(ticket.table(), [this] {
    ++shared_.counters.matches;
    Queue();
  });
}

}  // namespace tarot::load
