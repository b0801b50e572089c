// The program tarot-start-season sends a file to the ratings service, by default
// deploy/ladder_numbers.json. Operators run the program on any machine that reaches the ratings
// service and has the internal keys.
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
#include "services/ratings/transport/rating_service.h"
#include "tarot/ratings/v1/ladder_admin_service.grpc.pb.h"

ABSL_FLAG(std::string, file, "deploy/ladder_numbers.json", "The numbers of the ladders.");
ABSL_FLAG(std::string, ratings_address, "127.0.0.1:7104",
          "The ratings service: host:port, or a comma-separated list of ip:port.");
ABSL_FLAG(std::string, internal_key_file, "", "Key ring that all services share.");
ABSL_FLAG(std::string, signing_key_file, "", "Private keys of the service operator.");
ABSL_FLAG(std::string, service_keys_file, "", "Public keys of all services.");
TAROT_TLS_OPTIONS(TAROT_OPTION_FLAG)

namespace {

using tarot::ratings::v1::LadderAdminService;
using tarot::ratings::v1::StartSeasonResponse;

absl::StatusOr<StartSeasonResponse> Apply() {
  TAROT_ASSIGN_OR_RETURN(const auto request,
                         tarot::ratings_service::ReadSeasonFile(absl::GetFlag(FLAGS_file)));
  TAROT_ASSIGN_OR_RETURN(
      std::shared_ptr<tarot::rpc::ServiceKeys> keys,
      tarot::rpc::ServiceKeys::Open({.service = "operator",
                                     .shared = absl::GetFlag(FLAGS_internal_key_file),
                                     .signing = absl::GetFlag(FLAGS_signing_key_file),
                                     .services = absl::GetFlag(FLAGS_service_keys_file)}));
  tarot::RealClock clock;
  const tarot::rpc::Authenticator identity(std::move(keys), clock);
  const auto stub = LadderAdminService::NewStub(
      tarot::rpc::MakeServiceChannel("ratings", absl::GetFlag(FLAGS_ratings_address)));
  grpc::ClientContext context;
  identity.Sign(context, tarot::rpc::Caller{.service = "operator"});
  tarot::rpc::SetTimeout(context, absl::Seconds(10));
  context.set_wait_for_ready(true);
  StartSeasonResponse response;
  TAROT_RETURN_IF_ERROR(tarot::status::FromGrpc(stub->StartSeason(&context, request, &response)));
  return response;
}

}  // namespace

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "start_season",
                          {{"ratings_address", tarot::rpc::Addresses()}});
  const absl::StatusOr<StartSeasonResponse> response = Apply();
  if (!response.ok()) {
    std::fprintf(stderr, "%s\n", std::string(response.status().message()).c_str());
    return 1;
  }
  for (const std::string& change : response->changes()) std::printf("%s\n", change.c_str());
  if (response->changes().empty()) std::printf("nothing changed\n");
  return 0;
}
