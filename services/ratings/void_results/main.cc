// The program tarot-void-results voids matches and computes all ratings again. Operators run it on
// any machine that reaches ratings and has the internal keys (docs/runbook/void_results.md).
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <string>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "libs/base/error.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/rpc/options.h"
#include "libs/rpc/process.h"
#include "libs/status/wire.h"
#include "tarot/ratings/v1/ladder_admin_service.grpc.pb.h"

ABSL_FLAG(std::string, match, "", "Voids this match: tables/{uuid}.");
ABSL_FLAG(std::string, player, "", "Voids the matches of this player: players/{uuid}.");
ABSL_FLAG(std::string, since, "",
          "With --player: voids the matches that ended at this time or later, for example "
          "2026-11-25T18:00:00Z.");
ABSL_FLAG(std::string, operator_name, "", "Your name. The database keeps it with the void.");
ABSL_FLAG(std::string, reason, "", "The reason. The database keeps it with the void.");
ABSL_FLAG(
    bool, recompute, true,
    "Computes all ratings again after the void, or alone if there is no void. Without it, the "
    "void waits for the next recomputation.");
ABSL_FLAG(std::string, ratings_address, "127.0.0.1:7104",
          "The ratings service: host:port, or a comma list of ip:port.");
ABSL_FLAG(std::string, internal_key_file, "", "Keys of the tokens between services.");

namespace {

using tarot::ratings::v1::LadderAdminService;

// A recomputation of a hundred million matches takes less than an hour.
constexpr absl::Duration kRecomputeTimeout = absl::Hours(2);

class Operator {
 public:
  explicit Operator(tarot::rpc::KeyRing keys)
      : identity_(std::move(keys), clock_),
        stub_(LadderAdminService::NewStub(
            tarot::rpc::MakeChannel(absl::GetFlag(FLAGS_ratings_address)))) {}

  // Voids the match, or the matches of the player, that the flags name. Does nothing if they name
  // none.
  absl::Status Void() {
    const std::string match = absl::GetFlag(FLAGS_match);
    const std::string player = absl::GetFlag(FLAGS_player);
    if (!match.empty() && !player.empty()) {
      return tarot::BadRequest("match", "cannot be set together with player");
    }
    if (!match.empty()) {
      tarot::ratings::v1::VoidMatchRequest request;
      request.set_table(match);
      TAROT_RETURN_IF_ERROR((Call<tarot::ratings::v1::VoidMatchResponse>(
                                 &LadderAdminService::Stub::VoidMatch, request))
                                .status());
      std::printf("the match is void\n");
    }
    if (!player.empty()) {
      tarot::ratings::v1::VoidPlayerRequest request;
      request.set_player(player);
      absl::Time since;
      std::string problem;
      if (!absl::ParseTime(absl::RFC3339_full, absl::GetFlag(FLAGS_since), &since, &problem)) {
        return tarot::BadRequest("since", problem);
      }
      request.mutable_since_time()->set_seconds(absl::ToUnixSeconds(since));
      TAROT_ASSIGN_OR_RETURN(const auto response,
                             Call<tarot::ratings::v1::VoidPlayerResponse>(
                                 &LadderAdminService::Stub::VoidPlayer, request));
      std::printf("%u matches of the player are void\n", response.match_count());
    }
    return absl::OkStatus();
  }

  absl::Status Recompute() {
    grpc::ClientContext context;
    Prepare(context, kRecomputeTimeout);
    tarot::ratings::v1::RecomputeResponse response;
    TAROT_RETURN_IF_ERROR(tarot::status::FromGrpc(stub_->Recompute(&context, {}, &response)));
    const double blocked =
        static_cast<double>(response.blocked().seconds()) + response.blocked().nanos() / 1e9;
    std::printf(
        "all ratings are computed again: %lld matches, %lld of them void, %lld results of players "
        "differ; new matches waited %.3f s\n",
        static_cast<long long>(response.match_count()),
        static_cast<long long>(response.void_count()),
        static_cast<long long>(response.different_count()), blocked);
    return absl::OkStatus();
  }

 private:
  void Prepare(grpc::ClientContext& context, absl::Duration timeout) {
    identity_.Sign(context, tarot::rpc::Caller{.service = "operator"});
    tarot::rpc::SetTimeout(context, timeout);
    context.set_wait_for_ready(true);
  }

  template <typename Response, typename Method, typename Request>
  absl::StatusOr<Response> Call(Method method, Request& request) {
    request.set_operator_(absl::GetFlag(FLAGS_operator_name));
    request.set_reason(absl::GetFlag(FLAGS_reason));
    grpc::ClientContext context;
    Prepare(context, absl::Seconds(20));
    Response response;
    TAROT_RETURN_IF_ERROR(
        tarot::status::FromGrpc((stub_.get()->*method)(&context, request, &response)));
    return response;
  }

  tarot::RealClock clock_;
  const tarot::rpc::Authenticator identity_;
  const std::unique_ptr<LadderAdminService::Stub> stub_;
};

absl::Status Run() {
  TAROT_ASSIGN_OR_RETURN(tarot::rpc::KeyRing keys,
                         tarot::rpc::KeyRing::FromFile(absl::GetFlag(FLAGS_internal_key_file)));
  Operator op(std::move(keys));
  TAROT_RETURN_IF_ERROR(op.Void());
  return absl::GetFlag(FLAGS_recompute) ? op.Recompute() : absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "void_results",
                          {{"ratings_address", tarot::rpc::Addresses()}});
  const absl::Status status = Run();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}
