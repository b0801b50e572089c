#include "libs/wire/score.h"

#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/wire/convert.h"

namespace tarot::wire {
namespace {

absl::Status AddHandfuls(const google::protobuf::RepeatedField<std::uint32_t>& levels,
                         const char* field, std::array<int, 4>* out) {
  for (const std::uint32_t level : levels) {
    if (level < 1 || level > 3) return BadRequest(field, "1, 2 or 3");
    ++(*out)[level];
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<rules::ScoreInput> DecodeScore(const v1::ScoreDealRequest& request,
                                              const rules::RuleSet& rules) {
  if (rules.scoring == rules::Scoring::kPointPerCourtOrBout) {
    return BadRequest("rules",
                      "every seat plays alone, for the court cards it wins: use ScorePlay");
  }
  rules::ScoreInput in{.players = rules.Playing(static_cast<int>(request.player_count())),
                       .bouts = static_cast<int>(request.bouts()),
                       .attack_half_points = static_cast<int>(request.attack_half_points()),
                       .petit_au_bout = request.petit_au_bout(),
                       .slam = static_cast<rules::SlamOutcome>(request.slam()),
                       .has_partner = request.has_partner()};
  TAROT_ASSIGN_OR_RETURN(in.contract, DecodeContract(request.contract(), "contract"));
  if (in.contract == rules::Contract::kPass)
    return BadRequest("contract", "no player took the contract");
  if (request.bouts() > 3) return BadRequest("bouts", "0 to 3");
  if (request.attack_half_points() > rules::kTotalHalfPoints) {
    return BadRequest("attack_half_points", "0 to 182");
  }
  const bool honours = rules.scoring == rules::Scoring::kTakerCountsHonours;
  if (honours &&
      (request.honours() < request.bouts() || request.honours() > request.bouts() + 16)) {
    return BadRequest("honours", "court cards and bouts: as many as bouts, to 16 more");
  }
  if (honours) in.honours = static_cast<int>(request.honours());
  if (in.petit_au_bout < -1 || in.petit_au_bout > 1) {
    return BadRequest("petit_au_bout", "-1, 0 or 1");
  }
  if (!v1::ScoreDealRequest::SlamOutcome_IsValid(request.slam())) {
    return BadRequest("slam", "unknown");
  }
  if (in.has_partner && in.players != 5) return BadRequest("has_partner", "five players only");
  TAROT_RETURN_IF_ERROR(
      AddHandfuls(request.attack_handfuls(), "attack_handfuls", &in.attack_handfuls));
  TAROT_RETURN_IF_ERROR(
      AddHandfuls(request.defence_handfuls(), "defence_handfuls", &in.defence_handfuls));
  return in;
}

absl::StatusOr<rules::PlayedDeal> DecodePlay(const v1::ScorePlayRequest& request,
                                             const rules::RuleSet& rules) {
  const auto seat = [](std::uint32_t number) {
    return number < rules::kPlayersMax ? static_cast<rules::Seat>(number) : rules::kPlayersMax;
  };
  rules::PlayedDeal played{
      .rules = rules,
      .players = static_cast<int>(request.player_count()),
      .taker = rules.teams == rules::Teams::kEveryoneAlone ? rules::kNoSeat : seat(request.taker()),
      .slam_announced = request.slam_announced()};
  if (request.has_partner()) played.partner = seat(request.partner());
  if (request.has_called_card()) {
    TAROT_ASSIGN_OR_RETURN(played.called_card, DecodeCard(request.called_card(), "called_card"));
  }
  TAROT_ASSIGN_OR_RETURN(played.contract, DecodeContract(request.contract(), "contract"));
  TAROT_ASSIGN_OR_RETURN(played.counted_apart,
                         DecodeCards(request.counted_apart(), "counted_apart"));
  if (request.hands_size() != played.players) return BadRequest("hands", "one a seat");
  for (int i = 0; i < request.hands_size(); ++i) {
    TAROT_ASSIGN_OR_RETURN(played.hands[static_cast<std::size_t>(i)],
                           DecodeCards(request.hands(i).cards(), "hands.cards"));
  }
  for (const v1::Trick& trick : request.tricks()) {
    rules::PlayedDeal::PlayedTrick& out = played.tricks.emplace_back();
    out.leader = seat(trick.leader());
    for (const std::uint32_t number : trick.cards()) {
      TAROT_ASSIGN_OR_RETURN(const rules::Card card, DecodeCard(number, "tricks.cards"));
      out.cards.push_back(card);
    }
  }
  for (const auto& shown : request.handfuls()) {
    played.handfuls.push_back({.seat = seat(shown.seat()),
                               .level = shown.level() <= 3 ? static_cast<int>(shown.level()) : 0});
  }
  return played;
}

}  // namespace tarot::wire
