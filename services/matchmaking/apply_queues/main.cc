// The program tarot-apply-queues sends deploy/queues.json to the matchmaking service. Operators run
// the program on any machine that reaches this service and has the internal keys.
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <string>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/rpc/options.h"
#include "libs/rpc/process.h"
#include "libs/status/wire.h"
#include "services/matchmaking/transport/matchmaking_service.h"
#include "tarot/matchmaking/v1/matchmaking_admin_service.grpc.pb.h"

ABSL_FLAG(std::string, file, "deploy/queues.json", "The queues and bots to apply.");
ABSL_FLAG(std::string, matchmaking_address, "127.0.0.1:7102",
          "The matchmaking service: host:port, or a comma-separated list of ip:port.");
ABSL_FLAG(std::string, internal_key_file, "", "Key ring that all services share.");
ABSL_FLAG(std::string, signing_key_file, "", "Private keys of the service operator.");
ABSL_FLAG(std::string, service_keys_file, "", "Public keys of all services.");
TAROT_TLS_OPTIONS(TAROT_OPTION_FLAG)

namespace {

using tarot::matchmaking::v1::ApplyQueuesResponse;
using tarot::matchmaking::v1::MatchmakingAdminService;

absl::StatusOr<ApplyQueuesResponse> Apply() {
  TAROT_ASSIGN_OR_RETURN(const auto request,
                         tarot::matchmaking_service::ReadQueuesFile(absl::GetFlag(FLAGS_file)));
  TAROT_ASSIGN_OR_RETURN(
      std::shared_ptr<tarot::rpc::ServiceKeys> keys,
      tarot::rpc::ServiceKeys::Open({.service = "operator",
                                     .shared = absl::GetFlag(FLAGS_internal_key_file),
                                     .signing = absl::GetFlag(FLAGS_signing_key_file),
                                     .services = absl::GetFlag(FLAGS_service_keys_file)}));
  tarot::RealClock clock;
  const tarot::rpc::Authenticator identity(std::move(keys), clock);
  const auto stub = MatchmakingAdminService::NewStub(
      tarot::rpc::MakeServiceChannel("matchmaking", absl::GetFlag(FLAGS_matchmaking_address)));
  grpc::ClientContext context;
  identity.Sign(context, tarot::rpc::Caller{.service = "operator"});
  tarot::rpc::SetTimeout(context, absl::Seconds(10));
  context.set_wait_for_ready(true);
  ApplyQueuesResponse response;
  TAROT_RETURN_IF_ERROR(tarot::status::FromGrpc(stub->ApplyQueues(&context, request, &response)));
  return response;
}

}  // namespace

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "apply_queues",
                          {{"matchmaking_address", tarot::rpc::Addresses()}});
  const absl::StatusOr<ApplyQueuesResponse> response = Apply();
  if (!response.ok()) {
    std::fprintf(stderr, "%s\n", std::string(response.status().message()).c_str());
    return 1;
  }
  for (const std::string& change : response->changes()) std::printf("%s\n", change.c_str());
  if (response->changes().empty()) std::printf("nothing changed\n");
  return 0;
}
