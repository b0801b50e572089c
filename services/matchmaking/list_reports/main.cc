// The program tarot-list-reports prints the reports that players made about other players, newest
// first. Operators run it on any machine that reaches the matchmaking service and has the internal
// keys.
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <string>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "libs/base/error.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/rpc/options.h"
#include "libs/rpc/process.h"
#include "libs/status/wire.h"
#include "tarot/matchmaking/v1/matchmaking_admin_service.grpc.pb.h"

ABSL_FLAG(int, count, 100, "The largest number of reports to print.");
ABSL_FLAG(std::string, matchmaking_address, "127.0.0.1:7102",
          "The matchmaking service: host:port, or a comma-separated list of ip:port.");
ABSL_FLAG(std::string, internal_key_file, "", "Keys of the tokens between services.");

namespace {

namespace v1 = tarot::matchmaking::v1;

void Print(const v1::PlayerReport& report) {
  const absl::Time time = absl::FromUnixSeconds(report.report_time().seconds());
  const std::string line =
      absl::StrCat(absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone()), "  ",
                   v1::PlayerReport::Reason_Name(report.reason()), "  ", report.player(), "  ",
                   absl::StripPrefix(report.table(), "tables/"), "/", report.deal_number(), "  by ",
                   report.reporter());
  std::printf("%s\n", line.c_str());
}

absl::Status PrintReports() {
  TAROT_ASSIGN_OR_RETURN(tarot::rpc::KeyRing keys,
                         tarot::rpc::KeyRing::FromFile(absl::GetFlag(FLAGS_internal_key_file)));
  tarot::RealClock clock;
  const tarot::rpc::Authenticator identity(std::move(keys), clock);
  const auto stub = v1::MatchmakingAdminService::NewStub(
      tarot::rpc::MakeChannel(absl::GetFlag(FLAGS_matchmaking_address)));
  v1::ListReportsRequest request;
  int left = absl::GetFlag(FLAGS_count);
  do {
    grpc::ClientContext context;
    identity.Sign(context, tarot::rpc::Caller{.service = "operator"});
    tarot::rpc::SetTimeout(context, absl::Seconds(10));
    context.set_wait_for_ready(true);
    v1::ListReportsResponse response;
    TAROT_RETURN_IF_ERROR(tarot::status::FromGrpc(stub->ListReports(&context, request, &response)));
    for (const v1::PlayerReport& report : response.reports()) {
      if (left-- > 0) Print(report);
    }
    request.set_page_token(response.next_page_token());
  } while (left > 0 && !request.page_token().empty());
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "list_reports",
                          {{"matchmaking_address", tarot::rpc::Addresses()}});
  const absl::Status status = PrintReports();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}
