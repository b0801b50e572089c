#include <algorithm>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/rules/rule_set.h"
#include "libs/rules/score_play.h"
#include "libs/rules/view.h"
#include "libs/wire/convert.h"
#include "libs/wire/rule_set.h"
#include "tools/tarotctl/vectors/referee.h"

namespace tarot::tarotctl {
namespace {

using rules::v1::DealResult;
using rules::v1::ScoreDealRequest;
using rules::v1::ScoreDealResponse;
using rules::v1::ScorePlayRequest;
using rules::v1::ScorePlayResponse;

template <typename Request>
absl::StatusOr<rules::RuleSet> FindRules(const Request& request) {
  TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rules, wire::RuleSetOf(request, "rules"));
  if (request.player_count() < rules.players_min || request.player_count() > rules.players_max) {
    return BadRequest("player_count", absl::StrCat(request.player_count(),
                                                   " players are not played under these rules"));
  }
  return rules;
}

absl::StatusOr<std::array<int, 4>> CountLevels(
    const google::protobuf::RepeatedField<std::uint32_t>& levels, absl::string_view field) {
  std::array<int, 4> counts{};
  for (const std::uint32_t level : levels) {
    if (level < 1 || level > 3) return BadRequest(field, "levels are 1 to 3");
    ++counts[level];
  }
  return counts;
}

absl::StatusOr<rules::ScoreInput> Decode(const ScoreDealRequest& request,
                                         const rules::RuleSet& rule_set) {
  if (rule_set.scoring == rules::Scoring::kPointPerCourtOrBout ||
      rule_set.scoring == rules::Scoring::kTakerCountsHonours) {
    return BadRequest("rules", "counts court cards, which are not stated here: see ScorePlay");
  }
  rules::ScoreInput input;
  input.players = rule_set.Playing(static_cast<int>(request.player_count()));
  TAROT_ASSIGN_OR_RETURN(input.contract, wire::DecodeContract(request.contract(), "contract"));
  if (input.contract == rules::Contract::kPass) return BadRequest("contract", "is a pass");
  if (request.bouts() > 3) return BadRequest("bouts", "are 0 to 3");
  if (request.attack_half_points() > rules::kTotalHalfPoints) {
    return BadRequest("attack_half_points", "are 0 to 182");
  }
  if (request.has_partner() && input.players != 5) {
    return BadRequest("has_partner", "only with five players");
  }
  input.bouts = static_cast<int>(request.bouts());
  input.attack_half_points = static_cast<int>(request.attack_half_points());
  input.petit_au_bout = request.petit_au_bout();
  input.slam = static_cast<rules::SlamOutcome>(request.slam());  // The same numbers.
  input.has_partner = request.has_partner();
  TAROT_ASSIGN_OR_RETURN(input.attack_handfuls,
                         CountLevels(request.attack_handfuls(), "attack_handfuls"));
  TAROT_ASSIGN_OR_RETURN(input.defence_handfuls,
                         CountLevels(request.defence_handfuls(), "defence_handfuls"));
  return input;
}

absl::StatusOr<rules::PlayedDeal> Decode(const ScorePlayRequest& request,
                                         const rules::RuleSet& rule_set) {
  rules::PlayedDeal played;
  played.rules = rule_set;
  played.players = static_cast<int>(request.player_count());
  played.taker = rule_set.teams == rules::Teams::kEveryoneAlone ? rules::kNoSeat
                                                                : static_cast<int>(request.taker());
  if (request.has_partner()) played.partner = static_cast<int>(request.partner());
  if (request.has_called_card()) {
    TAROT_ASSIGN_OR_RETURN(played.called_card,
                           wire::DecodeCard(request.called_card(), "called_card"));
  }
  TAROT_ASSIGN_OR_RETURN(played.contract, wire::DecodeContract(request.contract(), "contract"));
  TAROT_ASSIGN_OR_RETURN(played.counted_apart,
                         wire::DecodeCards(request.counted_apart(), "counted_apart"));
  if (request.hands_size() != played.players) return BadRequest("hands", "must be one a player");
  for (int seat = 0; seat < played.players; ++seat) {
    TAROT_ASSIGN_OR_RETURN(played.hands[static_cast<std::size_t>(seat)],
                           wire::DecodeCards(request.hands(seat).cards(), "hands"));
  }
  for (const rules::v1::Trick& trick : request.tricks()) {
    auto& out = played.tricks.emplace_back();
    out.leader = static_cast<int>(trick.leader());
    for (const std::uint32_t card : trick.cards()) {
      TAROT_ASSIGN_OR_RETURN(const rules::Card decoded, wire::DecodeCard(card, "tricks.cards"));
      out.cards.push_back(decoded);
    }
  }
  played.slam_announced = request.slam_announced();
  for (const auto& handful : request.handfuls()) {
    played.handfuls.push_back(
        {.seat = static_cast<int>(handful.seat()), .level = static_cast<int>(handful.level())});
  }
  return played;
}

class LocalReferee final : public Referee {
 public:
  absl::StatusOr<ScoreDealResponse> ScoreDeal(const ScoreDealRequest& request) override {
    TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rule_set, FindRules(request));
    TAROT_ASSIGN_OR_RETURN(const rules::ScoreInput input, Decode(request, rule_set));
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
    TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rule_set, FindRules(request));
    TAROT_ASSIGN_OR_RETURN(const rules::PlayedDeal played, Decode(request, rule_set));
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

}  // namespace tarot::tarotctl
