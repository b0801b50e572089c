#include <grpcpp/grpcpp.h>

#include "absl/time/time.h"
#include "libs/rpc/channel.h"
#include "libs/status/wire.h"
#include "tarot/rules/v1/referee_service.grpc.pb.h"
#include "tools/tarotctl/vectors/referee.h"

namespace tarot::tarotctl {
namespace {

using rules::v1::RefereeService;

class RemoteReferee final : public Referee {
 public:
  explicit RemoteReferee(const std::string& address)
      : stub_(RefereeService::NewStub(rpc::MakeChannel(address))) {}

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

std::unique_ptr<Referee> MakeRemoteReferee(const std::string& address) {
  return std::make_unique<RemoteReferee>(address);
}

}  // namespace tarot::tarotctl
