#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/base/error.h"
#include "tools/cli/text.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/play/feed.h"
#include "tools/tarotctl/play/game.h"
#include "tools/tarotctl/room/change.h"
#include "tools/tarotctl/view/lists.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using matchmaking::v1::Ticket;

absl::StatusOr<Ticket> Join(Context& context, const std::string& queue) {
  matchmaking::v1::CreateTicketRequest request;
  request.set_queue(queue);
  request.set_request_id(context.client().NewRequestId());
  if (context.line().Has("party")) {
    TAROT_ASSIGN_OR_RETURN(const matchmaking::v1::Room room, FindOwnRoom(context));
    request.set_party(room.name());
  }
  auto response = context.Call(&client::Matchmaking::CreateTicket, request);
  if (response.ok()) return response->ticket();
  ErrorDetails details = GetErrorDetails(response.status());
  if (details.reason != "TICKET_EXISTS") return response.status();
  if (details.metadata["table"].empty() && details.metadata["party"] != request.party()) {
    if (request.party().empty()) {
      context.err() << "You wait with the persons of a room already, as a party.\n";
    } else {
      // The player already has a ticket in this queue, but without this party. A player can have
      // only one ticket in a queue. So this code deletes the old ticket first.
      matchmaking::v1::DeleteTicketRequest other;
      other.set_name(details.metadata["ticket"]);
      TAROT_RETURN_IF_ERROR(context.Call(&client::Matchmaking::DeleteTicket, other).status());
      response = context.Call(&client::Matchmaking::CreateTicket, request);
      if (!response.ok()) return response.status();
      return response->ticket();
    }
  }
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

// Shows the state of the wait. On a terminal, it is one line that changes. Elsewhere, each change
// prints a new line.
class WaitLine {
 public:
  explicit WaitLine(Context& context) : context_(context) {}

  void Show(const Ticket& ticket) {
    const bool live = context_.environment().out_is_terminal;
    std::optional<long long> waited;
    if (live) {
      waited =
          absl::ToInt64Seconds(context_.environment().clock.Now() - ToTime(ticket.create_time()));
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
    if (context_.environment().out_is_terminal) context_.err() << "\n";
  }

 private:
  Context& context_;
  std::string shown_;
};

// Returns the table at which the player sits already, "tables/…", or "".
absl::StatusOr<std::string> FindOwnTable(Context& context) {
  rules::v1::ListTablesRequest request;
  request.set_player(context.me());
  request.set_page_size(1);
  TAROT_ASSIGN_OR_RETURN(const auto response, context.Call(&client::Tables::ListTables, request));
  return response.tables_size() == 0 ? "" : response.tables(0).name();
}

// Joins `queue` ("queues/…"), or continues with an existing ticket, and waits for a table. Shows
// the place in the queue and the reason for the wait. Returns the table. After Ctrl-C, "q" or the
// end of the terminal's input, it leaves the queue and returns CANCELLED. The message says whether
// leaving succeeded.
absl::StatusOr<std::string> WaitForTable(Context& context, Input& input, const std::string& queue) {
  TAROT_ASSIGN_OR_RETURN(const Ticket joined, Join(context, queue));
  TAROT_RETURN_IF_ERROR(context.KeepSession());
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

// Returns the table where the player sits already. If there is none, waits in the queue for a
// table. With --resume, does not wait but returns NOT_FOUND.
absl::StatusOr<std::string> FindTable(Context& context, Input& input) {
  auto own = FindOwnTable(context);
  if (!own.ok()) return own;
  if (!own->empty()) {
    context.err() << "You sit at a table already: taking your seat.\n";
    return own;
  }
  if (context.line().Has("resume")) {
    return absl::NotFoundError("no match of yours is in play; `tarotctl play` finds one");
  }
  const std::string queue = context.line().Get("queue", "casual4");
  context.err() << "You are " << cli::Safe(context.client().session().display_name())
                << ", waiting in " << cli::Safe(queue) << ". Ctrl-C leaves the queue.\n";
  return WaitForTable(context, input, absl::StrCat("queues/", absl::StripPrefix(queue, "queues/")));
}

cli::ExitCode RunPlay(Context& context) {
  const InputFile script(context.line().Get("script"));
  if (script.fd() < 0) return context.FailScript();
  if (const absl::Status status = context.SignInUnkept(context.line().Get("name")); !status.ok()) {
    return context.Fail("sign in", status);
  }
  Input input(script.fd());
  const auto table = FindTable(context, input);
  if (absl::IsCancelled(table.status())) {
    context.err() << cli::Safe(table.status().message()) << "\n";
    return cli::kInterrupted;
  }
  if (!table.ok()) return context.Fail("find a table", table.status());
  context.err() << "Table " << cli::Safe(IdOf(*table)) << ". ? helps, q leaves.\n";
  return Game(context, input, context.line().Has("auto"), *table).Play();
}

}  // namespace

cli::Command PlayCommand() {
  return {
      .name = "play",
      .usage = "play",
      .summary = "queue for a match and play it",
      .help =
          "  tarotctl play --name Ada                   a casual match; bots fill the table\n"
          "  tarotctl play --queue ranked4              a ranked match\n"
          "  tarotctl play --queue casual4 --party      with the persons of your room\n"
          "  tarotctl play --resume                     back to your seat\n"
          "  tarotctl play --auto                       a simple player decides for you\n"
          "  tarotctl play --script moves.txt           answers from a file, one a line\n\n"
          "  --name NAME    plays as a new guest, unless the kept session has this name\n"
          "  --queue QUEUE  a queue of tarotctl queues; casual4 by default\n"
          "  --party        one table for all persons of your room; each types this command;\n"
          "                 only in a casual queue\n\n"
          "Your session is kept in $TAROT_TOKEN_FILE, or ~/.config/tarot/token.\n",
      .options =
          {{"name"}, {"queue"}, {"party", false}, {"resume", false}, {"auto", false}, {"script"}},
      .run = WithClient(RunPlay, 8)};
}

}  // namespace tarot::tarotctl
