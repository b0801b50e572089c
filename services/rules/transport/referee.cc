#include "services/rules/transport/referee.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/rules/action.h"
#include "libs/rules/score_play.h"
#include "libs/rules/view.h"
#include "libs/wire/convert.h"
#include "libs/wire/rule_set.h"
#include "libs/wire/score.h"

namespace tarot::rules_service {
namespace {

std::uint32_t Number(int n) { return static_cast<std::uint32_t>(n); }

// A refusal, with the index of the entry that was refused.
absl::Status Refused(int entry, const rules::Action& action, const rules::Verdict& verdict) {
  const absl::Status status = rules::RefusalStatus(action, verdict);
  const ErrorDetails details = GetErrorDetails(status);
  ErrorMetadata metadata(details.metadata.begin(), details.metadata.end());
  metadata.emplace_back("entry", absl::StrCat(entry));
  return Error(status.code(), details.reason, status.message(), metadata);
}

absl::Status ApplyEntry(const v1::DealRecord::Entry& entry, int index, rules::Deal* deal) {
  TAROT_ASSIGN_OR_RETURN(const rules::Action action,
                         wire::DecodeAction(entry.action(), "entries.action"));
  const rules::Verdict verdict = Apply(*deal, static_cast<rules::Seat>(entry.seat()), action);
  return verdict.ok() ? absl::OkStatus() : Refused(index, action, verdict);
}

absl::StatusOr<rules::Deal> StartOf(const v1::DealHistory& history, const rules::RuleSet& rules) {
  const int players = static_cast<int>(history.player_count());
  if (history.dealer() >= history.player_count()) return BadRequest("deal.dealer", "no such seat");
  const auto dealer = static_cast<rules::Seat>(history.dealer());
  const bool board = rules.taker_by == rules::TakerBy::kBoard;
  if (history.has_board_taker() != board || history.board_taker() >= history.player_count()) {
    return BadRequest("deal.board_taker", "a seat, where the rule set leaves it to the board");
  }
  if (history.hands_size() != players) return BadRequest("deal.hands", "one a seat");
  TAROT_ASSIGN_OR_RETURN(const rules::CardSet dog, wire::DecodeCards(history.dog(), "deal.dog"));
  std::array<rules::CardSet, rules::kPlayersMax> hands;
  rules::CardSet seen = dog;
  bool sizes = dog.Size() == rules.DogSize(players);
  for (int seat = 0; seat < players; ++seat) {
    TAROT_ASSIGN_OR_RETURN(const rules::CardSet hand,
                           wire::DecodeCards(history.hands(seat).cards(), "deal.hands.cards"));
    hands[static_cast<std::size_t>(seat)] = hand;
    const bool sits_out = rules.Playing(players) < players && seat == dealer;
    sizes = sizes && hand.Size() == (sits_out ? 0 : rules.HandSize(players));
    seen |= hand;
  }
  if (!sizes || seen != rules::CardSet::All()) {
    return BadRequest("deal.hands", "with the dog they must hold every card once");
  }
  const auto taker = static_cast<rules::Seat>(history.board_taker());
  return StartDeal(rules, players, dealer, hands, dog, board ? taker : rules::kNoSeat);
}

absl::StatusOr<rules::Deal> Replay(const v1::DealHistory& history) {
  TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rules, wire::RuleSetFor(history, "deal.rules"));
  TAROT_ASSIGN_OR_RETURN(rules::Deal deal, StartOf(history, rules));
  for (int i = 0; i < history.entries_size(); ++i) {
    TAROT_RETURN_IF_ERROR(ApplyEntry(history.entries(i), i, &deal));
  }
  return deal;
}

}  // namespace

absl::Status ListLegalActions(const v1::ListLegalActionsRequest& request,
                              v1::ListLegalActionsResponse* response) {
  TAROT_ASSIGN_OR_RETURN(const rules::Deal deal, Replay(request.deal()));
  if (deal.turn != rules::kNoSeat) response->set_turn(Number(deal.turn));
  response->set_phase(static_cast<v1::Phase>(static_cast<int>(deal.phase) + 1));
  wire::EncodeLegal(deal.rules, deal.players, ListLegal(deal), response->mutable_legal());
  return absl::OkStatus();
}

absl::Status ApplyAction(const v1::ApplyActionRequest& request, v1::ApplyActionResponse* response) {
  TAROT_ASSIGN_OR_RETURN(rules::Deal deal, Replay(request.deal()));
  TAROT_RETURN_IF_ERROR(ApplyEntry(request.entry(), request.deal().entries_size(), &deal));
  wire::EncodeView(rules::MakeView(deal, deal.turn), request.deal().rule_set(),
                   response->mutable_deal());
  return absl::OkStatus();
}

absl::Status ScoreDeal(const v1::ScoreDealRequest& request, v1::ScoreDealResponse* response) {
  TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rules, wire::RuleSetFor(request, "rules"));
  TAROT_ASSIGN_OR_RETURN(const rules::ScoreInput in, wire::DecodeScore(request, rules));
  rules::View view;
  view.players = static_cast<int>(request.player_count());
  view.taker = 0;
  view.partner = in.has_partner ? 1 : rules::kNoSeat;
  view.contract = in.contract;
  view.result = {.outcome = rules::Outcome::kScored,
                 .attack_half_points = in.attack_half_points,
                 .bouts = in.bouts,
                 .petit_au_bout = in.petit_au_bout,
                 .slam = in.slam,
                 .score = ComputeScore(rules, in)};
  for (int seat = 0; seat < in.players; ++seat) {
    const rules::Score& score = view.result.score;
    view.result.scores[static_cast<std::size_t>(seat)] = seat == 0              ? score.taker
                                                         : seat == view.partner ? score.partner
                                                                                : score.defender;
  }
  wire::EncodeResult(view, response->mutable_result());
  return absl::OkStatus();
}

absl::Status ScorePlay(const v1::ScorePlayRequest& request, v1::ScorePlayResponse* response) {
  TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rules, wire::RuleSetFor(request, "rules"));
  TAROT_ASSIGN_OR_RETURN(const rules::PlayedDeal played, wire::DecodePlay(request, rules));
  TAROT_ASSIGN_OR_RETURN(const rules::Deal deal, rules::ScorePlay(played));
  wire::EncodeResult(rules::MakeView(deal, rules::kNoSeat), response->mutable_result());
  for (int i = 0; i < deal.trick_count; ++i) {
    response->add_trick_winners(Number(deal.tricks[static_cast<std::size_t>(i)].winner));
  }
  return absl::OkStatus();
}

absl::Status ListRuleSets(v1::ListRuleSetsResponse* response) {
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    v1::RuleSetInfo* info = response->add_rule_sets();
    info->set_name(std::string(named.name));
    info->set_description(std::string(named.description));
    wire::EncodeRuleSet(named.rules, info->mutable_rules());
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      info->add_player_counts(Number(n));
    }
  }
  return absl::OkStatus();
}

}  // namespace tarot::rules_service
