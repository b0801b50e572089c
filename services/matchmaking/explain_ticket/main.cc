// The program tarot-explain-ticket prints why a ticket waits: its reason, its rating and window,
// and for each other waiting ticket, what keeps the two tickets from sharing a table. Operators run
// it on any machine that reaches matchmaking and has the internal keys.
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <string>

#include "absl/flags/flag.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "libs/base/error.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/rpc/options.h"
#include "libs/rpc/process.h"
#include "libs/status/wire.h"
#include "tarot/matchmaking/v1/matchmaking_admin_service.grpc.pb.h"

ABSL_FLAG(std::string, ticket, "", "The ticket: its id, or tickets/ and its id.");
ABSL_FLAG(std::string, matchmaking_address, "127.0.0.1:7102",
          "The matchmaking service: host:port, or a comma list of ip:port.");
ABSL_FLAG(std::string, internal_key_file, "", "Keys of the tokens between services.");

namespace {

namespace v1 = tarot::matchmaking::v1;

void Print(const v1::ExplainTicketResponse& response) {
  const v1::Ticket& ticket = response.ticket();
  std::string text = absl::StrCat(ticket.name(), "  ", response.player(), "  ", ticket.queue(),
                                  "\n", v1::Ticket::State_Name(ticket.state()));
  if (!ticket.table().empty()) absl::StrAppend(&text, "  ", ticket.table());
  if (ticket.state() == v1::Ticket::WAITING) {
    absl::StrAppend(&text, "  ", v1::Ticket::WaitReason_Name(ticket.wait_reason()), "  place ",
                    ticket.position(), " of ", ticket.waiting_count());
  }
  absl::StrAppend(&text, "\n");
  if (response.has_wave_time()) {
    const v1::ExplainTicketResponse::Others& others = response.others();
    absl::StrAppend(&text, "rating ", response.rating(), ", window ", ticket.rating_window(), "\n",
                    "others that wait: ", others.fitting(), " fit, ", others.ratings_too_far(),
                    " have ratings too far, ", others.met_just_now(), " met the player just now, ",
                    others.blocked(), " have a block, ", others.bots_only(),
                    " are kept apart as weak bots, ", others.party_incomplete(),
                    " have an incomplete party\n");
  }
  std::fputs(text.c_str(), stdout);
}

absl::Status Explain() {
  TAROT_ASSIGN_OR_RETURN(tarot::rpc::KeyRing keys,
                         tarot::rpc::KeyRing::FromFile(absl::GetFlag(FLAGS_internal_key_file)));
  tarot::RealClock clock;
  const tarot::rpc::Authenticator identity(std::move(keys), clock);
  const auto stub = v1::MatchmakingAdminService::NewStub(
      tarot::rpc::MakeChannel(absl::GetFlag(FLAGS_matchmaking_address)));
  v1::ExplainTicketRequest request;
  const std::string ticket = absl::GetFlag(FLAGS_ticket);
  request.set_name(absl::StartsWith(ticket, "tickets/") ? ticket
                                                        : absl::StrCat("tickets/", ticket));
  grpc::ClientContext context;
  identity.Sign(context, tarot::rpc::Caller{.service = "operator"});
  tarot::rpc::SetTimeout(context, absl::Seconds(10));
  context.set_wait_for_ready(true);
  v1::ExplainTicketResponse response;
  TAROT_RETURN_IF_ERROR(tarot::status::FromGrpc(stub->ExplainTicket(&context, request, &response)));
  Print(response);
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "explain_ticket",
                          {{"matchmaking_address", tarot::rpc::Addresses()}});
  const absl::Status status = Explain();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}
