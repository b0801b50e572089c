#include <grpcpp/grpcpp.h>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "libs/rpc/channel.h"
#include "libs/status/wire.h"
#include "tarot/rules/v1/referee_service.grpc.pb.h"
#include "tools/lab/vectors/referee.h"

namespace tarot::lab {
namespace {

using rules::v1::RefereeService;

constexpr int kPatienceSeconds = 3;

class RemoteReferee final : public Referee {
 public:
  explicit RemoteReferee(const std::shared_ptr<grpc::Channel>& channel)
      : stub_(RefereeService::NewStub(channel)) {}

  absl::StatusOr<rules::v1::ScoreDealResponse> ScoreDeal(
      const rules::v1::ScoreDealRequest& request) override {
    return Call<rules::v1::ScoreDealResponse>(&RefereeService::Stub::ScoreDeal, request);
  }

  absl::StatusOr<rules::v1::ScorePlayResponse> ScorePlay(
      const rules::v1::ScorePlayRequest& request) override {
    return Call<rules::v1::ScorePlayResponse>(&RefereeService::Stub::ScorePlay, request);
  }

 private:
  template <typename Response, typename Method, typename Request>
  absl::StatusOr<Response> Call(Method method, const Request& request) {
    grpc::ClientContext context;
    rpc::SetTimeout(context, absl::Seconds(10));
    Response response;
    const grpc::Status status = (stub_.get()->*method)(&context, request, &response);
    if (!status.ok()) return status::FromGrpc(status);
    return response;
  }

  std::unique_ptr<RefereeService::Stub> stub_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Referee>> MakeRemoteReferee(const std::string& address) {
  const std::shared_ptr<grpc::Channel> channel = rpc::MakeChannel(address);
  const gpr_timespec patience = gpr_time_from_seconds(kPatienceSeconds, GPR_TIMESPAN);
  if (!channel->WaitForConnected(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), patience))) {
    return absl::UnavailableError(absl::StrCat("no rules service answers at ", address));
  }
  return std::make_unique<RemoteReferee>(channel);
}

}  // namespace tarot::lab
