#include "tools/lab/vectors/referee.h"

#include <grpcpp/grpcpp.h>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "libs/base/status_macros.h"
#include "libs/rpc/channel.h"
#include "libs/rules/view.h"
#include "libs/status/wire.h"
#include "libs/wire/convert.h"
#include "libs/wire/rule_set.h"
#include "libs/wire/score.h"
#include "tarot/rules/v1/referee_service.grpc.pb.h"

namespace tarot::lab {
namespace {

using rules::v1::DealResult;
using rules::v1::ScoreDealRequest;
using rules::v1::ScoreDealResponse;
using rules::v1::ScorePlayRequest;
using rules::v1::ScorePlayResponse;

class LocalReferee final : public Referee {
 public:
  absl::StatusOr<ScoreDealResponse> ScoreDeal(const ScoreDealRequest& request) override {
    TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rule_set, wire::RuleSetFor(request, "rules"));
    TAROT_ASSIGN_OR_RETURN(const rules::ScoreInput input, wire::DecodeScore(request, rule_set));
    const rules::Score score = rules::ComputeScore(rule_set, input);
    ScoreDealResponse response;
    DealResult* result = response.mutable_result();
    result->set_unit(score.unit);
    result->add_scores(score.taker);
    if (input.has_partner) result->add_scores(score.partner);
    while (result->scores_size() < input.players) result->add_scores(score.defender);
    if (static_cast<int>(request.player_count()) > input.players) result->add_scores(0);
    return response;
  }

  absl::StatusOr<ScorePlayResponse> ScorePlay(const ScorePlayRequest& request) override {
    TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rule_set, wire::RuleSetFor(request, "rules"));
    TAROT_ASSIGN_OR_RETURN(const rules::PlayedDeal played, wire::DecodePlay(request, rule_set));
    TAROT_ASSIGN_OR_RETURN(const rules::Deal deal, rules::ScorePlay(played));
    ScorePlayResponse response;
    wire::EncodeResult(rules::MakeView(deal, rules::kNoSeat), response.mutable_result());
    for (int i = 0; i < deal.trick_count; ++i) {
      response.add_trick_winners(
          static_cast<std::uint32_t>(deal.tricks[static_cast<std::size_t>(i)].winner));
    }
    return response;
  }
};

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

std::unique_ptr<Referee> MakeLocalReferee() { return std::make_unique<LocalReferee>(); }

absl::StatusOr<std::unique_ptr<Referee>> MakeRemoteReferee(const std::string& address) {
  const std::shared_ptr<grpc::Channel> channel = rpc::MakeChannel(address);
  const gpr_timespec patience = gpr_time_from_seconds(kPatienceSeconds, GPR_TIMESPAN);
  if (!channel->WaitForConnected(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), patience))) {
    return absl::UnavailableError(absl::StrCat("no rules service answers at ", address));
  }
  return std::make_unique<RemoteReferee>(channel);
}

}  // namespace tarot::lab
