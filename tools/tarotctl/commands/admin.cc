// tarotctl admin calls the admin service, which serves operators. It needs no gateway and no
// player's token: each call carries a token that the operator's own key has signed.
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "libs/base/error.h"
#include "libs/base/gateway_limits.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/rpc/tls.h"
#include "libs/status/wire.h"
#include "libs/wire/values.h"
#include "tarot/admin/v1/admin_service.grpc.pb.h"
#include "tools/cli/text.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

namespace v1 = ::tarot::admin::v1;
using Stub = v1::AdminService::Stub;

constexpr char kDefaultAdmin[] = "127.0.0.1:7107";
constexpr int kCountMax = 10'000;

std::string Environment(const char* name, const std::string& fallback) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? fallback : value;
}

// Returns `typed` with `prefix`, for example "players/{uuid}" for "{uuid}".
std::string Named(const std::string& prefix, const std::string& typed) {
  return absl::StartsWith(typed, prefix) ? typed : absl::StrCat(prefix, typed);
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixSeconds(time.seconds()),
                          absl::UTCTimeZone());
}

// One run of `tarotctl admin`.
class Admin {
 public:
  Admin(const cli::Invocation& run, rpc::KeyRing keys, const rpc::TransportSecurity& security)
      : run_(run),
        identity_(std::move(keys), run.environment().clock),
        stub_(v1::AdminService::NewStub(rpc::MakeServiceChannel(
            "admin", run.line().Get("admin", Environment("TAROT_ADMIN", kDefaultAdmin)),
            security))) {}

  const std::vector<std::string>& words() const { return run_.line().words; }
  std::string Option(const std::string& name) const { return run_.line().Get(name); }
  bool Has(const std::string& name) const { return run_.line().Has(name); }
  std::string NewRequestId() { return run_.environment().entropy.NewUuid().ToString(); }
  absl::Time Now() const { return run_.environment().clock.Now(); }

  // Makes a call with the reason of this run. If --json is given, prints the answer.
  template <typename Request, typename Response>
  absl::StatusOr<Response> Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                             Response*),
                                Request request, absl::Duration timeout = absl::Seconds(60)) {
    request.set_why(run_.line().Get("why"));
    grpc::ClientContext context;
    identity_.Sign(context, rpc::Caller{.service = "operator"});
    rpc::SetTimeout(context, timeout);
    Response response;
    TAROT_RETURN_IF_ERROR(status::FromGrpc((stub_.get()->*method)(&context, request, &response)));
    if (run_.json()) {
      std::string json;
      google::protobuf::util::JsonPrintOptions options;
      options.add_whitespace = true;
      options.preserve_proto_field_names = true;
      (void)google::protobuf::util::MessageToJsonString(response, &json, options);
      run_.out() << json;
    }
    return response;
  }

  // Prints `text`. With --json, prints nothing, because the answer is printed already.
  void Print(const std::string& text) {
    if (!run_.json()) run_.out() << cli::Safe(text) << "\n";
  }

  // Calls `method` for each page in turn, and `show` for each answer. Ends after the last page, or
  // when --count lines are shown. `show` returns the number of lines that it has shown.
  template <typename Request, typename Response>
  absl::Status Pages(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                     Request request, const std::function<int(const Response&)>& show) {
    int left = 100;
    if (Has("count") &&
        !(absl::SimpleAtoi(Option("count"), &left) && left >= 1 && left <= kCountMax)) {
      return BadRequest("count", absl::StrCat("1 to ", kCountMax));
    }
    do {
      request.set_page_size(std::min(left, 100));
      TAROT_ASSIGN_OR_RETURN(const Response response, Call(method, request));
      left -= std::max(1, show(response));
      request.set_page_token(response.next_page_token());
    } while (left > 0 && !request.page_token().empty());
    return absl::OkStatus();
  }

  // Reads the time of the option `name`.
  absl::StatusOr<google::protobuf::Timestamp> TimeOption(const std::string& name) const {
    absl::Time time;
    std::string problem;
    if (!absl::ParseTime(absl::RFC3339_full, Option(name), &time, &problem)) {
      return BadRequest(name, "a time, for example 2026-12-31T18:00:00Z");
    }
    google::protobuf::Timestamp out;
    wire::EncodeTime(time, &out);
    return out;
  }

 private:
  const cli::Invocation& run_;
  const rpc::Authenticator identity_;
  const std::unique_ptr<Stub> stub_;
};

absl::Status Replicas(Admin& admin) {
  TAROT_ASSIGN_OR_RETURN(const auto answer,
                         admin.Call(&Stub::ListReplicas, v1::ListReplicasRequest()));
  bool several = answer.silent_cells_size() > 0;
  for (const std::uint32_t cell : answer.cells()) several = several || cell != answer.cells(0);
  for (int i = 0; i < answer.addresses_size(); ++i) {
    const std::string cell = several ? absl::StrCat("cell ", answer.cells(i), "  ") : "";
    admin.Print(absl::StrCat(cell, answer.addresses(i)));
  }
  for (const std::uint32_t cell : answer.silent_cells()) {
    admin.Print(absl::StrCat("cell ", cell, "  does not answer"));
  }
  return absl::OkStatus();
}

absl::Status SetDraining(Admin& admin, bool draining) {
  v1::SetReplicaDrainingRequest request;
  request.set_address(admin.words()[1]);
  request.set_draining(draining);
  TAROT_ASSIGN_OR_RETURN(const auto answer, admin.Call(&Stub::SetReplicaDraining, request));
  admin.Print(draining ? absl::StrCat("the replica hands its ", answer.table_count(),
                                      " tables over; repeat the command to see the number fall")
                       : "the replica hosts tables again");
  return absl::OkStatus();
}

absl::Status SetQueueOpen(Admin& admin, bool open) {
  v1::SetQueueOpenRequest request;
  request.set_name(Named("queues/", admin.words()[1]));
  request.set_open(open);
  TAROT_ASSIGN_OR_RETURN(const auto answer, admin.Call(&Stub::SetQueueOpen, request));
  admin.Print(open ? "the queue is open"
                   : absl::StrCat("the queue is closed; ", answer.cancelled_count(),
                                  " waiting tickets are cancelled"));
  return absl::OkStatus();
}

absl::Status ApplyQueues(Admin& admin) {
  TAROT_ASSIGN_OR_RETURN(const std::string json, cli::ReadFile(admin.words()[1]));
  v1::ApplyQueuesRequest request;
  const auto parsed = google::protobuf::util::JsonStringToMessage(json, request.mutable_queues());
  if (!parsed.ok()) return BadRequest(admin.words()[1], std::string(parsed.message()));
  TAROT_ASSIGN_OR_RETURN(const auto answer, admin.Call(&Stub::ApplyQueues, request));
  for (const std::string& change : answer.changes()) admin.Print(change);
  if (answer.changes().empty()) admin.Print("nothing changed");
  return absl::OkStatus();
}

absl::Status SetPopulation(Admin& admin) {
  v1::SetPopulationRequest request;
  std::uint32_t population = 0;
  if (!absl::SimpleAtoi(admin.words()[1], &population)) {
    return BadRequest("population", "a number of bots");
  }
  request.set_population(population);
  TAROT_ASSIGN_OR_RETURN(const auto answer, admin.Call(&Stub::SetPopulation, request));
  admin.Print(absl::StrCat(population, " bots queue by themselves; before it were ",
                           answer.previous_population()));
  return absl::OkStatus();
}

// Each word after the name of the task is NAME=VALUE or NAME=default.
absl::Status Limits(Admin& admin) {
  v1::SetGatewayLimitsRequest request;
  for (std::size_t i = 1; i < admin.words().size(); ++i) {
    const std::pair<std::string, std::string> word = absl::StrSplit(admin.words()[i], '=');
    double value = 0;
    if (word.second == "default") {
      request.add_reset(word.first);
    } else if (absl::SimpleAtod(word.second, &value)) {
      ratings::v1::GatewayLimit& limit = *request.add_limits();
      limit.set_name(word.first);
      limit.set_value(value);
    } else {
      return BadRequest(word.first, "NAME=NUMBER or NAME=default");
    }
  }
  TAROT_ASSIGN_OR_RETURN(const auto answer, admin.Call(&Stub::SetGatewayLimits, request));
  for (const ratings::v1::GatewayLimit& limit : answer.limits()) {
    admin.Print(absl::StrFormat("%s=%.9g", limit.name(), limit.value()));
  }
  admin.Print("for all other limits, each gateway uses its option");
  return absl::OkStatus();
}

absl::Status ExplainTicket(Admin& admin) {
  v1::ExplainTicketRequest request;
  request.set_name(Named("tickets/", admin.words()[1]));
  TAROT_ASSIGN_OR_RETURN(const auto answer, admin.Call(&Stub::ExplainTicket, request));
  const auto& explanation = answer.explanation();
  const matchmaking::v1::Ticket& ticket = explanation.ticket();
  admin.Print(absl::StrCat(ticket.name(), "  ", explanation.player(), "  ", ticket.queue(), "  ",
                           matchmaking::v1::Ticket::State_Name(ticket.state()), "  ",
                           ticket.table()));
  if (ticket.state() == matchmaking::v1::Ticket::WAITING) {
    admin.Print(absl::StrCat(matchmaking::v1::Ticket::WaitReason_Name(ticket.wait_reason()),
                             "  place ", ticket.position(), " of ", ticket.waiting_count()));
  }
  if (!explanation.has_wave_time()) return absl::OkStatus();
  const auto& others = explanation.others();
  admin.Print(absl::StrCat(
      "rating ", explanation.rating(), ", window ", ticket.rating_window(),
      "\nothers that wait: ", others.fitting(), " fit, ", others.ratings_too_far(),
      " have ratings too far, ", others.met_just_now(), " met the player just now, ",
      others.blocked(), " have a block, ", others.bots_only(), " are kept apart as weak bots, ",
      others.party_incomplete(), " have an incomplete party, ", others.party_too_large(),
      " are too many with their party, ", others.same_address(), " joined from the same address, ",
      others.far_away(), " play from distant regions"));
  return absl::OkStatus();
}

absl::Status TableLog(Admin& admin) {
  v1::GetTableLogRequest request;
  request.set_name(Named("tables/", admin.words()[1]));
  return admin.Pages<v1::GetTableLogRequest, v1::GetTableLogResponse>(
      &Stub::GetTableLog, request, [&](const v1::GetTableLogResponse& page) {
        for (const rules::v1::TableLogEntry& entry : page.entries()) {
          admin.Print(absl::StrFormat(
              "%5d  %s  %-6s %-6s  %s", entry.revision(), TimeText(entry.create_time()),
              rules::v1::TableLogEntry::Actor_Name(entry.actor()),
              entry.has_seat() ? absl::StrCat("seat ", entry.seat()) : "", entry.text()));
        }
        return page.entries_size();
      });
}

// Returns the text of --message, which all players of a table see.
absl::StatusOr<std::string> RequiredMessage(const Admin& admin) {
  if (admin.Has("message")) return admin.Option("message");
  return BadRequest("message", "a text that all players of the table see, 1 to 200 bytes");
}

absl::Status VoidDeal(Admin& admin) {
  const std::string& typed = admin.words()[1];
  const std::size_t slash = typed.rfind('/');
  std::uint32_t number = 0;
  if (slash == std::string::npos || !absl::SimpleAtoi(typed.substr(slash + 1), &number)) {
    return BadRequest("deal", "TABLE/N, where N is the number of the running deal");
  }
  v1::VoidDealRequest request;
  request.set_name(Named("tables/", typed.substr(0, slash)));
  request.set_deal_number(number);
  TAROT_ASSIGN_OR_RETURN(*request.mutable_message(), RequiredMessage(admin));
  request.set_request_id(admin.NewRequestId());
  TAROT_RETURN_IF_ERROR(admin.Call(&Stub::VoidDeal, request).status());
  admin.Print("the deal is void");
  return absl::OkStatus();
}

absl::Status EndMatch(Admin& admin) {
  v1::EndMatchRequest request;
  request.set_name(Named("tables/", admin.words()[1]));
  TAROT_ASSIGN_OR_RETURN(*request.mutable_message(), RequiredMessage(admin));
  request.set_request_id(admin.NewRequestId());
  TAROT_RETURN_IF_ERROR(admin.Call(&Stub::EndMatch, request).status());
  admin.Print("the match is over, and it is not rated");
  return absl::OkStatus();
}

absl::Status VoidMatch(Admin& admin) {
  v1::VoidMatchRequest request;
  request.set_table(Named("tables/", admin.words()[1]));
  TAROT_RETURN_IF_ERROR(admin.Call(&Stub::VoidMatch, request).status());
  admin.Print("the match is void; `tarotctl admin recompute` changes the ratings");
  return absl::OkStatus();
}

absl::Status VoidPlayer(Admin& admin) {
  v1::VoidPlayerRequest request;
  request.set_player(Named("players/", admin.words()[1]));
  TAROT_ASSIGN_OR_RETURN(*request.mutable_since_time(), admin.TimeOption("since"));
  TAROT_ASSIGN_OR_RETURN(const auto answer, admin.Call(&Stub::VoidPlayer, request));
  admin.Print(absl::StrCat(answer.match_count(),
                           " matches are void; `tarotctl admin recompute` changes the ratings"));
  return absl::OkStatus();
}

absl::Status Recompute(Admin& admin) {
  TAROT_ASSIGN_OR_RETURN(const auto answer,
                         admin.Call(&Stub::Recompute, v1::RecomputeRequest(), absl::Hours(2)));
  const auto& result = answer.result();
  admin.Print(absl::StrFormat(
      "all ratings are computed again: %d matches, %d of them void, %d results of players differ",
      result.match_count(), result.void_count(), result.different_count()));
  return absl::OkStatus();
}

absl::Status Ban(Admin& admin) {
  v1::BanPlayerRequest request;
  request.set_player(Named("players/", admin.words()[1]));
  if (admin.Has("for")) {
    absl::Duration span;
    if (!absl::ParseDuration(admin.Option("for"), &span)) {
      return BadRequest("for", "a duration, for example 72h");
    }
    request.mutable_end_time()->set_seconds(absl::ToUnixSeconds(admin.Now() + span));
  } else {
    TAROT_ASSIGN_OR_RETURN(*request.mutable_end_time(), admin.TimeOption("until"));
  }
  request.set_message(admin.Option("message"));
  TAROT_ASSIGN_OR_RETURN(const auto answer, admin.Call(&Stub::BanPlayer, request));
  admin.Print(absl::StrCat("the player is banned until ", TimeText(request.end_time()), "; ",
                           answer.cancelled_count(), " waiting tickets are cancelled"));
  return absl::OkStatus();
}

absl::Status Unban(Admin& admin) {
  v1::UnbanPlayerRequest request;
  request.set_player(Named("players/", admin.words()[1]));
  TAROT_RETURN_IF_ERROR(admin.Call(&Stub::UnbanPlayer, request).status());
  admin.Print("the ban has ended");
  return absl::OkStatus();
}

absl::Status Bans(Admin& admin) {
  return admin.Pages<v1::ListBansRequest, v1::ListBansResponse>(
      &Stub::ListBans, v1::ListBansRequest(), [&](const v1::ListBansResponse& page) {
        for (const ratings::v1::Ban& ban : page.bans()) {
          admin.Print(absl::StrCat(ban.player(), "  until ", TimeText(ban.end_time()), "  ",
                                   ban.message()));
        }
        return page.bans_size();
      });
}

absl::Status Export(Admin& admin) {
  v1::ExportPlayerRequest request;
  request.set_player(Named("players/", admin.words()[1]));
  TAROT_ASSIGN_OR_RETURN(const auto answer, admin.Call(&Stub::ExportPlayer, request));
  admin.Print(answer.json());
  return absl::OkStatus();
}

absl::Status Delete(Admin& admin) {
  v1::DeletePlayerRequest request;
  request.set_player(Named("players/", admin.words()[1]));
  TAROT_ASSIGN_OR_RETURN(const auto answer, admin.Call(&Stub::DeletePlayer, request));
  admin.Print(absl::StrCat("the player is deleted; ", answer.seat_count(),
                           " seats have lost the name. Repeat the command after a minute: a "
                           "gateway may have let the player in meanwhile"));
  return absl::OkStatus();
}

absl::Status Reports(Admin& admin) {
  return admin.Pages<v1::ListReportsRequest, v1::ListReportsResponse>(
      &Stub::ListReports, v1::ListReportsRequest(), [&](const v1::ListReportsResponse& page) {
        for (const matchmaking::v1::PlayerReport& report : page.reports()) {
          admin.Print(absl::StrCat(TimeText(report.report_time()), "  ",
                                   matchmaking::v1::PlayerReport::Reason_Name(report.reason()),
                                   "  ", report.player(), "  ", IdOf(report.table()), "/",
                                   report.deal_number(), "  by ", report.reporter()));
        }
        return page.reports_size();
      });
}

absl::Status Flags(Admin& admin) {
  v1::ListCollusionFlagsRequest request;
  request.set_open(!admin.Has("all"));
  return admin.Pages<v1::ListCollusionFlagsRequest, v1::ListCollusionFlagsResponse>(
      &Stub::ListCollusionFlags, request, [&](const v1::ListCollusionFlagsResponse& page) {
        for (const v1::CollusionFlag& flag : page.flags()) {
          admin.Print(absl::StrFormat(
              "%s  %s and %s: z %.1f, %d deals, each loses %.1f card points a deal for the other",
              flag.name(), flag.players(0), flag.players(1), flag.z(), flag.deal_count(),
              flag.lost_credit()));
          for (const std::string& deal : flag.evidence()) admin.Print(absl::StrCat("    ", deal));
          if (flag.verdict() == v1::CollusionFlag::VERDICT_UNSPECIFIED) continue;
          admin.Print(absl::StrCat("    ", v1::CollusionFlag::Verdict_Name(flag.verdict()), " by ",
                                   flag.judge(), ": ", flag.judge_why()));
        }
        return page.flags_size();
      });
}

absl::Status AddFlags(Admin& admin) {
  TAROT_ASSIGN_OR_RETURN(const std::string json, cli::ReadFile(admin.words()[1]));
  v1::AddCollusionFlagsRequest request;
  const auto parsed = google::protobuf::util::JsonStringToMessage(json, &request);
  if (!parsed.ok()) return BadRequest(admin.words()[1], std::string(parsed.message()));
  TAROT_ASSIGN_OR_RETURN(const auto answer, admin.Call(&Stub::AddCollusionFlags, request));
  admin.Print(absl::StrCat(answer.added_count(), " flags are new"));
  return absl::OkStatus();
}

absl::Status Judge(Admin& admin) {
  v1::JudgeCollusionFlagRequest request;
  request.set_name(Named("flags/", admin.words()[1]));
  if (admin.words()[2] == "collusion") {
    request.set_verdict(v1::CollusionFlag::COLLUSION);
    TAROT_ASSIGN_OR_RETURN(*request.mutable_since_time(), admin.TimeOption("since"));
  } else if (admin.words()[2] == "dismissed") {
    request.set_verdict(v1::CollusionFlag::DISMISSED);
  } else {
    return BadRequest("verdict", "collusion or dismissed");
  }
  TAROT_ASSIGN_OR_RETURN(const auto answer, admin.Call(&Stub::JudgeCollusionFlag, request));
  admin.Print(absl::StrCat("the flag is judged; ", answer.match_count(), " matches are void"));
  return absl::OkStatus();
}

absl::Status Calls(Admin& admin) {
  return admin.Pages<v1::ListCallsRequest, v1::ListCallsResponse>(
      &Stub::ListCalls, v1::ListCallsRequest(), [&](const v1::ListCallsResponse& page) {
        for (const v1::Call& call : page.calls()) {
          admin.Print(absl::StrCat(call.id(), "  ", TimeText(call.call_time()), "  ",
                                   call.operator_(), "  ", call.method(), " ", call.subject(), "  ",
                                   call.outcome().empty() ? "unknown" : call.outcome(),
                                   "  why: ", call.why()));
        }
        return page.calls_size();
      });
}

struct Task {
  std::size_t words;  // The number of words after "admin", including the name of the task.
  absl::Status (*run)(Admin& admin);
  std::size_t more_words = 0;  // The number of further words that the task accepts.
};

const std::map<std::string, Task>& Tasks() {
  static const auto& tasks = *new std::map<std::string, Task>{
      {"replicas", {1, Replicas}},
      {"drain", {2, [](Admin& admin) { return SetDraining(admin, true); }}},
      {"undrain", {2, [](Admin& admin) { return SetDraining(admin, false); }}},
      {"open-queue", {2, [](Admin& admin) { return SetQueueOpen(admin, true); }}},
      {"close-queue", {2, [](Admin& admin) { return SetQueueOpen(admin, false); }}},
      {"apply-queues", {2, ApplyQueues}},
      {"population", {2, SetPopulation}},
      {"limits", {1, Limits, std::size(kGatewayLimits)}},
      {"ticket", {2, ExplainTicket}},
      {"log", {2, TableLog}},
      {"void-deal", {2, VoidDeal}},
      {"end-match", {2, EndMatch}},
      {"void-match", {2, VoidMatch}},
      {"void-player", {2, VoidPlayer}},
      {"recompute", {1, Recompute}},
      {"ban", {2, Ban}},
      {"unban", {2, Unban}},
      {"bans", {1, Bans}},
      {"export", {2, Export}},
      {"delete", {2, Delete}},
      {"reports", {1, Reports}},
      {"flags", {1, Flags}},
      {"add-flags", {2, AddFlags}},
      {"judge", {3, Judge}},
      {"calls", {1, Calls}},
  };
  return tasks;
}

cli::ExitCode RunAdmin(const cli::Invocation& run) {
  const std::vector<std::string>& words = run.line().words;
  const auto task = Tasks().find(words[0]);
  if (task == Tasks().end() || words.size() < task->second.words ||
      words.size() > task->second.words + task->second.more_words) {
    return run.Fail(
        absl::StrCat("admin: '", words[0],
                     "' is no task, or it takes other words; see tarotctl admin --help"),
        cli::kUsage);
  }
  if (run.line().Get("why").empty()) {
    return run.Fail("admin: --why TEXT is required; the platform keeps it with the call",
                    cli::kUsage);
  }
  const std::string file = run.line().Get("key", Environment("TAROT_OPERATOR_KEY", ""));
  if (file.empty()) {
    return run.Fail("admin: --key FILE or TAROT_OPERATOR_KEY must name the file of your key",
                    cli::kNotSignedIn);
  }
  absl::StatusOr<rpc::KeyRing> keys = rpc::KeyRing::FromFile(file);
  if (!keys.ok()) return run.FailFile(file, keys.status());
  const std::string pem = run.line().Get("identity", Environment("TAROT_OPERATOR_IDENTITY", ""));
  rpc::TransportSecurity security;
  if (!pem.empty()) {
    auto tls = rpc::Tls::Open(
        {.cert = pem, .key = pem, .ca = run.line().Get("ca", Environment("TAROT_CA_FILE", ""))});
    if (!tls.ok()) return run.FailFile(pem, tls.status());
    security.tls = *std::move(tls);
  }
  Admin admin(run, *std::move(keys), security);
  const absl::Status status = task->second.run(admin);
  if (status.ok()) return cli::kOk;
  const std::string reason = GetErrorDetails(status).reason;
  return run.Fail(absl::StrCat("admin ", words[0], ": ", status.message(),
                               reason.empty() ? "" : absl::StrCat(" (", reason, ")")),
                  cli::ExitCodeFor(status));
}

}  // namespace

cli::Command AdminCommand() {
  return {
      .name = "admin",
      .usage = "admin TASK... --why TEXT",
      .summary = "the operators' door: drain, close, void, ban, export, read",
      .help =
          "  tarotctl admin replicas --why 'an upgrade'              the replicas of rules\n"
          "  tarotctl admin drain 10.0.0.5:7101 --why 'an upgrade'   hand its tables over\n"
          "  tarotctl admin ban PLAYER --for 72h --why REPORT        refuse a player's tokens\n"
          "  tarotctl admin calls --why 'a look back'                the calls of all operators\n\n"
          "Each call is stored with your name and --why before it does anything.\n\n"
          "  replicas                     the replicas of rules that host tables\n"
          "  drain ADDRESS                hand the replica's tables over, give it no new ones\n"
          "  undrain ADDRESS              end the drain\n"
          "  close-queue QUEUE            take no tickets, cancel the waiting ones\n"
          "  open-queue QUEUE             open a closed queue again\n"
          "  apply-queues FILE            replace the queues and bots by those of queues.json\n"
          "  population N                 the number of bots that queue by themselves\n"
          "  limits [NAME=NUMBER]...      set limits of all gateways, and show those that are "
          "set;\n"
          "                               NAME=default: the option of each gateway counts again\n"
          "  ticket TICKET                why a ticket waits\n"
          "  log TABLE                    a table's log, without hidden cards\n"
          "  void-deal TABLE/N            cancel the running deal; needs --message for the "
          "players\n"
          "  end-match TABLE              end the match, unrated; needs --message for the players\n"
          "  void-match TABLE             a rated match counts no more\n"
          "  void-player PLAYER           a player's matches --since TIME count no more\n"
          "  recompute                    compute all ratings again, without the void matches\n"
          "  ban PLAYER                   --for DURATION or --until TIME; --message for the "
          "player\n"
          "  unban PLAYER                 end a ban\n"
          "  bans                         the bans that have not ended\n"
          "  export PLAYER                all that the platform stores about a player, as JSON\n"
          "  delete PLAYER                delete the name; the results stay under the id\n"
          "  reports                      the reports of players, newest first\n"
          "  flags                        the open flags of collusion; --all shows the judged "
          "ones\n"
          "  add-flags FILE               add the flags of tarot-lab collusion --flags FILE\n"
          "  judge FLAG VERDICT           collusion (void the matches --since TIME) or dismissed\n"
          "  calls                        the calls of operators, newest first\n\n"
          "PLAYER, TABLE and TICKET are ids.\n\n"
          "  --why TEXT        required: the reason of the call\n"
          "  --admin ADDRESS   the admin service ($TAROT_ADMIN, or 127.0.0.1:7107)\n"
          "  --key FILE        the file of your key ($TAROT_OPERATOR_KEY), mode 0600\n"
          "  --identity FILE   certificate and key of the operators ($TAROT_OPERATOR_IDENTITY)\n"
          "  --ca FILE         certificates of the platform's authorities ($TAROT_CA_FILE)\n"
          "  --count 1..10000  the number of lines of a list (100)\n"
          "  --message TEXT  --since TIME  --until TIME  --for DURATION  --all  --json\n",
      .options = {{"why"},
                  {"admin"},
                  {"key"},
                  {"identity"},
                  {"ca"},
                  {"count"},
                  {"message"},
                  {"since"},
                  {"until"},
                  {"for"},
                  {"all", false},
                  {"json", false}},
      .words_min = 1,
      .words_max = 1 + std::size(kGatewayLimits),
      .run = RunAdmin};
}

}  // namespace tarot::tarotctl
