#include "tools/tarotctl/play/lobby.h"

#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "tools/tarotctl/play/feed.h"
#include "tools/tarotctl/view/lists.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using matchmaking::v1::Ticket;

absl::StatusOr<Ticket> Join(Context& context, const std::string& queue) {
  matchmaking::v1::CreateTicketRequest request;
  request.set_queue(queue);
  request.set_request_id(context.client().NewRequestId());
  auto response = context.Call(&client::Matchmaking::CreateTicket, request);
  if (response.ok()) return response->ticket();
  ErrorDetails details = GetErrorDetails(response.status());
  if (details.reason != "TICKET_EXISTS") return response.status();
  Ticket ticket;
  ticket.set_name(details.metadata["ticket"]);
  ticket.set_table(details.metadata["table"]);
  return ticket;
}

absl::Status LeaveQueue(Context& context, const std::string& ticket) {
  matchmaking::v1::DeleteTicketRequest request;
  request.set_name(ticket);
  const auto response = context.client().Call(&client::Matchmaking::DeleteTicket, request);
  if (response.ok()) return absl::CancelledError("You left the queue.");
  const std::string reason = GetErrorDetails(response.status()).reason;
  if (reason == "TICKET_MATCHED") {
    return absl::CancelledError(
        "A table was found just now and your seat is there. Take it with: tarotctl play --resume");
  }
  return absl::CancelledError(absl::StrCat("The queue could not be left (",
                                           response.status().message(),
                                           "). You may be seated later: tarotctl play --resume"));
}

// Shows the state of the wait: one line that changes on a terminal, otherwise a new line for each
// change.
class WaitLine {
 public:
  explicit WaitLine(Context& context) : context_(context) {}

  void Show(const Ticket& ticket) {
    const bool live = context_.world().out_is_terminal;
    std::optional<long long> waited;
    if (live) {
      waited = absl::ToInt64Seconds(context_.world().clock.Now() - ToTime(ticket.create_time()));
    }
    const std::string text = TicketText(ticket, waited);
    if (text == shown_) return;
    shown_ = text;
    if (live) {
      context_.err() << "\r\x1b[K" << text << std::flush;
    } else {
      context_.err() << text << "\n";
    }
  }

  void End() {
    if (context_.world().out_is_terminal) context_.err() << "\n";
  }

 private:
  Context& context_;
  std::string shown_;
};

}  // namespace

absl::StatusOr<std::string> FindOwnTable(Context& context) {
  rules::v1::ListTablesRequest request;
  request.set_player(context.me());
  request.set_page_size(1);
  TAROT_ASSIGN_OR_RETURN(const auto response, context.Call(&client::Tables::ListTables, request));
  return response.tables_size() == 0 ? "" : response.tables(0).name();
}

absl::StatusOr<std::string> WaitForTable(Context& context, Input& input, const std::string& queue) {
  TAROT_ASSIGN_OR_RETURN(const Ticket joined, Join(context, queue));
  if (!joined.table().empty()) return joined.table();
  TicketFeed tickets(context, input, OpenTicket(context, joined.name()));
  WaitLine line(context);
  Ticket ticket = joined;
  while (true) {
    const auto end = tickets.End();
    if (auto newest = tickets.Take()) ticket = *std::move(newest);
    if (!ticket.table().empty()) {
      line.End();
      return ticket.table();
    }
    if (ticket.state() == Ticket::CANCELLED) return absl::AbortedError("the ticket was cancelled");
    if (end && !end->ok()) return *end;
    if (end) return absl::AbortedError("the ticket ended without a table");
    if (ticket.state() != Ticket::STATE_UNSPECIFIED) line.Show(ticket);
    std::string typed;
    const InputEvent event = input.Wait(absl::Seconds(1), input.is_terminal(), &typed);
    const bool quit =
        event == InputEvent::kLine && absl::StripAsciiWhitespace(typed) == absl::string_view("q");
    if (event == InputEvent::kInterrupt || event == InputEvent::kEnd || quit) {
      line.End();
      return LeaveQueue(context, joined.name());
    }
  }
}

}  // namespace tarot::tarotctl
