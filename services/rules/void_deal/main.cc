// The program tarot-void-deal cancels the running deal of a table. Operators run it on any machine
// that reaches the rules service and has the internal keys.
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <string>

#include "absl/flags/flag.h"
#include "libs/base/entropy.h"
#include "libs/base/error.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/rpc/options.h"
#include "libs/rpc/process.h"
#include "libs/status/wire.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"

ABSL_FLAG(std::string, table, "", "The table: tables/{uuid}.");
ABSL_FLAG(int, deal, 0, "The number of the running deal.");
ABSL_FLAG(std::string, reason, "", "The reason, a text that all players see.");
ABSL_FLAG(std::string, rules_address, "127.0.0.1:7101",
          "The rules service: host:port, or a comma-separated list of ip:port.");
ABSL_FLAG(std::string, internal_key_file, "", "Keys of the tokens between services.");

namespace {

using tarot::rules::v1::TableAdminService;
using tarot::rules::v1::VoidDealRequest;
using tarot::rules::v1::VoidDealResponse;

absl::StatusOr<VoidDealResponse> VoidDeal() {
  TAROT_ASSIGN_OR_RETURN(tarot::rpc::KeyRing keys,
                         tarot::rpc::KeyRing::FromFile(absl::GetFlag(FLAGS_internal_key_file)));
  tarot::RealClock clock;
  const tarot::rpc::Authenticator identity(std::move(keys), clock);
  const auto stub =
      TableAdminService::NewStub(tarot::rpc::MakeChannel(absl::GetFlag(FLAGS_rules_address)));
  tarot::OsEntropy entropy;
  VoidDealRequest request;
  request.set_name(absl::GetFlag(FLAGS_table));
  request.set_deal_number(static_cast<std::uint32_t>(absl::GetFlag(FLAGS_deal)));
  request.set_reason(absl::GetFlag(FLAGS_reason));
  request.set_request_id(entropy.NewUuid().ToString());
  grpc::ClientContext context;
  identity.Sign(context, tarot::rpc::Caller{.service = "operator"});
  tarot::rpc::SetTimeout(context, absl::Seconds(10));
  context.set_wait_for_ready(true);
  VoidDealResponse response;
  TAROT_RETURN_IF_ERROR(tarot::status::FromGrpc(stub->VoidDeal(&context, request, &response)));
  return response;
}

}  // namespace

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "void_deal", {{"rules_address", tarot::rpc::Addresses()}});
  const absl::StatusOr<VoidDealResponse> response = VoidDeal();
  if (!response.ok()) {
    std::fprintf(stderr, "%s\n", std::string(response.status().message()).c_str());
    return 1;
  }
  std::printf("deal %u of %s is void\n", response->table().deal_number(),
              response->table().name().c_str());
  return 0;
}
