#include "libs/base/status_macros.h"
#include "libs/rules/view.h"
#include "libs/wire/convert.h"
#include "libs/wire/rule_set.h"
#include "libs/wire/score.h"
#include "tools/lab/vectors/referee.h"

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

}  // namespace

std::unique_ptr<Referee> MakeLocalReferee() { return std::make_unique<LocalReferee>(); }

}  // namespace tarot::lab
