#include "services/rules/transport/referee_service.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/message_differencer.h"
#include "libs/base/error.h"
#include "libs/notation/prove.h"
#include "libs/notation/tdn.h"
#include "libs/rules/action.h"
#include "libs/rules/score_play.h"
#include "libs/rules/view.h"
#include "libs/wire/convert.h"
#include "libs/wire/finished_deal.h"
#include "libs/wire/rule_set.h"
#include "services/rules/app/record_service.h"
#include "services/rules/limits.h"
#include "services/rules/transport/convert.h"
#include "services/rules/transport/rule_set_service.h"
#include "services/rules/transport/table_views.h"

namespace tarot::rules_service {
namespace {

using google::protobuf::util::MessageDifferencer;
using rpc::Access;
using rpc::Caller;

std::uint32_t Number(int n) { return static_cast<std::uint32_t>(n); }

// Returns the error of an illegal action. The metadata has the index of the entry.
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
  if (history.dealer() >= history.player_count())
    return BadRequest("deal.dealer", "must be a seat of the deal");
  const auto dealer = static_cast<rules::Seat>(history.dealer());
  const bool board = rules.taker_by == rules::TakerBy::kBoard;
  if (history.has_board_taker() != board || history.board_taker() >= history.player_count()) {
    return BadRequest(
        "deal.board_taker",
        "must be a seat if the rule set takes the taker from a board, and absent otherwise");
  }
  if (history.hands_size() != players)
    return BadRequest("deal.hands", "must hold one hand for each seat");
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
    return BadRequest("deal.hands", "must hold every card once, together with the dog");
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

// The following functions are the code of VerifyRecord.

// The facts that a record states about its deal.
struct Claim {
  rules::RuleSet rules;
  DealOrigin origin;
  bool first = false;  // True for the first deal of its match.
  std::vector<DealRecord::Entry> entries;
};

absl::StatusOr<rules::PackOrder> DecodePack(const v1::DealRecord& record) {
  TAROT_ASSIGN_OR_RETURN(const rules::CardSet cards,
                         wire::DecodeCards(record.gathered(), "record.gathered"));
  if (cards != rules::CardSet::All())
    return BadRequest("record.gathered", "must hold every card once");
  rules::PackOrder pack;
  for (std::size_t i = 0; i < pack.size(); ++i) {
    pack[i] = rules::CardAt(static_cast<int>(record.gathered(static_cast<int>(i))));
  }
  return pack;
}

absl::StatusOr<dealing::Provenance> DecodeProvenance(const v1::DealRecord& record) {
  dealing::Provenance from;
  if (record.seed().size() != from.seed.size())
    return BadRequest("record.seed", "must have 64 bytes");
  std::copy(record.seed().begin(), record.seed().end(), from.seed.begin());
  if (record.procedure() > 3) return BadRequest("record.procedure", "must be 1, 2 or 3");
  from.procedure = static_cast<dealing::Procedure>(std::max(1u, record.procedure()));
  if (record.nonces_size() > record.players_size()) {
    return BadRequest("record.nonces", "must hold at most one nonce for each seat");
  }
  for (int seat = 0; seat < record.nonces_size(); ++seat) {
    if (record.nonces(seat).size() > dealing::kNonceBytesMax) {
      return BadRequest("record.nonces", "must have at most 32 bytes each");
    }
    from.nonces[static_cast<std::size_t>(seat)] = record.nonces(seat);
  }
  if (record.gathered_size() > 0) {
    TAROT_ASSIGN_OR_RETURN(from.gathered, DecodePack(record));
  }
  TAROT_ASSIGN_OR_RETURN(from.piles, wire::DecodePiles(record, "record.gathered_piles"));
  return from;
}

absl::StatusOr<DealOrigin> DecodeOrigin(const v1::DealRecord& record, const rules::RuleSet& rules) {
  const auto players = static_cast<std::uint32_t>(record.players_size());
  DealOrigin origin{.dealer = static_cast<rules::Seat>(record.dealer())};
  if (record.dealer() >= players) return BadRequest("record.dealer", "must be a seat of the deal");
  const bool board = rules.taker_by == rules::TakerBy::kBoard;
  if (record.has_board_taker() != board || record.board_taker() >= players) {
    return BadRequest(
        "record.board_taker",
        "must be a seat if the rule set takes the taker from a board, and absent otherwise");
  }
  if (board) origin.taker = static_cast<rules::Seat>(record.board_taker());
  TAROT_ASSIGN_OR_RETURN(origin.provenance, DecodeProvenance(record));
  return origin;
}

absl::StatusOr<Claim> DecodeClaim(const v1::DealRecord& record) {
  Claim claim;
  TAROT_ASSIGN_OR_RETURN(claim.rules, wire::RuleSetOf(record, "record.rules"));
  if (record.players_size() < claim.rules.players_min ||
      record.players_size() > claim.rules.players_max) {
    return BadRequest("record.players", "must be a number of players that the rule set allows");
  }
  TAROT_ASSIGN_OR_RETURN(claim.origin, DecodeOrigin(record, claim.rules));
  const absl::StatusOr<DealId> name = ParseDealName(record.name(), "record.name");
  claim.first = name.ok() && name->number == 1;
  for (const v1::DealRecord::Entry& entry : record.entries()) {
    TAROT_ASSIGN_OR_RETURN(const rules::Action action,
                           wire::DecodeAction(entry.action(), "record.entries.action"));
    claim.entries.push_back({.seat = static_cast<rules::Seat>(entry.seat()), .action = action});
  }
  return claim;
}

// Returns the cards and the result that follow from the seed and the actions of the record.
v1::DealRecord Truth(const Claim& claim, const rules::Deal& deal) {
  v1::DealRecord truth;
  const dealing::Commitment commitment = dealing::Commit(claim.origin.provenance.seed);
  truth.set_seed_commitment(std::string(commitment.begin(), commitment.end()));
  for (int seat = 0; seat < deal.players; ++seat) {
    wire::EncodeCards(deal.dealt[static_cast<std::size_t>(seat)],
                      truth.add_hands()->mutable_cards());
  }
  wire::EncodeCards(deal.dog, truth.mutable_dog());
  wire::EncodeResult(rules::MakeView(deal, rules::kNoSeat), truth.mutable_result());
  return truth;
}

// Returns the claim that `result` states, if its seat won every trick that it claimed. If not,
// returns an empty claim. No seat can claim the first trick.
DealClaim ClaimWon(const v1::DealResult& result, const rules::Deal& deal) {
  const std::uint32_t first = result.claim_trick();
  const bool possible = result.has_claim_seat() && deal.phase == rules::Phase::kDone &&
                        first >= 2 && first <= static_cast<std::uint32_t>(deal.trick_count);
  if (!possible) return {};
  for (auto trick = static_cast<int>(first); trick <= deal.trick_count; ++trick) {
    const rules::Seat winner = deal.tricks[static_cast<std::size_t>(trick - 1)].winner;
    if (winner != static_cast<rules::Seat>(result.claim_seat())) return {};
  }
  return {.seat = static_cast<rules::Seat>(result.claim_seat()), .trick = static_cast<int>(first)};
}

// The following functions are the code of ImportRecords.

// Encodes the data that decide the cards, if the text states them.
void EncodeOrigin(const notation::Record& record, v1::DealRecord* out) {
  if (record.seed) out->set_seed(AsString(*record.seed));
  if (record.commitment) out->set_seed_commitment(AsString(*record.commitment));
  if (record.board_taker != rules::kNoSeat) {
    out->set_board_taker(static_cast<std::uint32_t>(record.board_taker));
  }
  if (record.procedure == dealing::Procedure::kSeedAlone) return;
  out->set_procedure(static_cast<std::uint32_t>(record.procedure));
  for (rules::Seat seat = 0; seat < record.players; ++seat) {
    out->add_nonces(record.nonces[notation::Slot(seat)]);
  }
  if (!record.gathered) return;
  for (const rules::Card card : *record.gathered) {
    out->add_gathered(static_cast<std::uint32_t>(card));
  }
  wire::EncodePiles(record.piles, out);
}

void Encode(const notation::Record& record, const rules::Deal& deal, v1::DealRecord* out) {
  wire::EncodeRuleSetOf(record.rule_set, deal.rules, out);
  out->set_dealer(static_cast<std::uint32_t>(record.Dealer()));
  EncodeOrigin(record, out);
  for (rules::Seat seat = 0; seat < record.players; ++seat) {
    out->add_players()->set_display_name(record.names[notation::Slot(seat)]);
    wire::EncodeCards(record.hands[notation::Slot(seat)], out->add_hands()->mutable_cards());
  }
  wire::EncodeCards(record.dog, out->mutable_dog());
  for (const notation::Entry& entry : record.entries) {
    v1::DealRecord::Entry* added = out->add_entries();
    added->set_seat(static_cast<std::uint32_t>(entry.seat));
    wire::EncodeAction(entry.action, added->mutable_action());
  }
  wire::EncodeResult(rules::MakeView(deal, rules::kNoSeat), out->mutable_result());
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
  view.rules = rules;
  view.players = static_cast<int>(request.player_count());
  view.playing = in.players;
  view.taker = 0;
  view.partner = in.has_partner ? 1 : rules::kNoSeat;
  view.contract = in.contract;
  view.result = {.outcome = rules::Outcome::kScored,
                 .attack_half_points = in.attack_half_points,
                 .bouts = in.bouts,
                 .honours = in.honours,
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

absl::Status VerifyRecord(const v1::VerifyRecordRequest& request,
                          v1::VerifyRecordResponse* response) {
  const v1::DealRecord& record = request.record();
  TAROT_ASSIGN_OR_RETURN(const Claim claim, DecodeClaim(record));
  const std::string strange =
      notation::OriginProblem(claim.rules, claim.origin.provenance, claim.first);
  if (!strange.empty()) {
    response->add_problems(strange);
    return absl::OkStatus();
  }
  absl::StatusOr<rules::Deal> deal =
      ReplayDeal(claim.rules, record.players_size(), claim.origin, claim.entries);
  if (!deal.ok()) {
    response->add_problems(absl::StrCat("an action is illegal: ", deal.status().message()));
    return absl::OkStatus();
  }
  const rules::Seat drawn =
      FirstDealerOf(claim.rules, record.players_size(), claim.origin.provenance);
  if (claim.first && claim.origin.dealer != drawn) {
    response->add_problems("the first dealer does not follow from the seed");
  }
  // If an operator cancelled the deal, nothing can prove the operator's reason, so the check
  // accepts any reason.
  const bool voided = record.result().outcome() == v1::DealResult::VOIDED;
  if (voided && deal->phase != rules::Phase::kDone) VoidDeal(*deal);
  if (deal->phase != rules::Phase::kDone) response->add_problems("the deal is not finished");
  v1::DealRecord truth = Truth(claim, *deal);
  if (voided) truth.mutable_result()->set_void_reason(record.result().void_reason());
  EncodeClaim(ClaimWon(record.result(), *deal), truth.mutable_result());
  // Records of older versions do not say which seat had the petit sec.
  if (!record.result().has_petit_sec_seat()) {
    truth.mutable_result()->clear_petit_sec_seat();
    truth.mutable_result()->clear_petit_sec_hand();
  }
  // Records of older versions do not have the lines of the score.
  if (record.result().card_points().empty() && record.result().unit_lines().empty() &&
      record.result().shares().empty()) {
    truth.mutable_result()->clear_card_points();
    truth.mutable_result()->clear_unit_lines();
    truth.mutable_result()->clear_shares();
  }
  if (record.seed_commitment() != truth.seed_commitment()) {
    response->add_problems("the commitment does not follow from the seed");
  }
  if (!std::equal(record.hands().begin(), record.hands().end(), truth.hands().begin(),
                  truth.hands().end(), MessageDifferencer::Equals)) {
    response->add_problems("the hands do not follow from the seed");
  }
  if (!std::equal(record.dog().begin(), record.dog().end(), truth.dog().begin(),
                  truth.dog().end())) {
    response->add_problems("the dog does not follow from the seed");
  }
  if (!MessageDifferencer::Equals(record.result(), truth.result())) {
    response->add_problems("the result does not follow from the play");
  }
  response->set_valid(response->problems().empty());
  return absl::OkStatus();
}

absl::Status ImportRecords(const v1::ImportRecordsRequest& request,
                           v1::ImportRecordsResponse* response) {
  if (request.tdn().size() > kTdnBytesMax)
    return BadRequest("tdn", absl::StrCat("must have at most ", kTdnBytesMax, " bytes"));
  TAROT_ASSIGN_OR_RETURN(const auto records, notation::ReadTdn(request.tdn()));
  for (const notation::Record& record : records) {
    TAROT_ASSIGN_OR_RETURN(const notation::Replayed replayed, notation::Replay(record));
    Encode(record, replayed.deal, response->add_records());
  }
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* GrpcRefereeService::ListLegalActions(
    grpc::CallbackServerContext* context, const v1::ListLegalActionsRequest* request,
    v1::ListLegalActionsResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.rules.v1.RefereeService/ListLegalActions", Access::kEveryCaller,
      [=](const Caller&) { return rules_service::ListLegalActions(*request, response); });
}

grpc::ServerUnaryReactor* GrpcRefereeService::ApplyAction(grpc::CallbackServerContext* context,
                                                          const v1::ApplyActionRequest* request,
                                                          v1::ApplyActionResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.rules.v1.RefereeService/ApplyAction", Access::kEveryCaller,
      [=](const Caller&) { return rules_service::ApplyAction(*request, response); });
}

grpc::ServerUnaryReactor* GrpcRefereeService::ScoreDeal(grpc::CallbackServerContext* context,
                                                        const v1::ScoreDealRequest* request,
                                                        v1::ScoreDealResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.rules.v1.RefereeService/ScoreDeal", Access::kEveryCaller,
      [=](const Caller&) { return rules_service::ScoreDeal(*request, response); });
}

grpc::ServerUnaryReactor* GrpcRefereeService::ScorePlay(grpc::CallbackServerContext* context,
                                                        const v1::ScorePlayRequest* request,
                                                        v1::ScorePlayResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.rules.v1.RefereeService/ScorePlay", Access::kEveryCaller,
      [=](const Caller&) { return rules_service::ScorePlay(*request, response); });
}

grpc::ServerUnaryReactor* GrpcRefereeService::VerifyRecord(grpc::CallbackServerContext* context,
                                                           const v1::VerifyRecordRequest* request,
                                                           v1::VerifyRecordResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.rules.v1.RefereeService/VerifyRecord", Access::kEveryCaller,
      [=](const Caller&) { return rules_service::VerifyRecord(*request, response); });
}

grpc::ServerUnaryReactor* GrpcRefereeService::ImportRecords(grpc::CallbackServerContext* context,
                                                            const v1::ImportRecordsRequest* request,
                                                            v1::ImportRecordsResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.rules.v1.RefereeService/ImportRecords", Access::kEveryCaller,
      [=](const Caller&) { return rules_service::ImportRecords(*request, response); });
}

grpc::ServerUnaryReactor* GrpcRefereeService::ListRuleSets(grpc::CallbackServerContext* context,
                                                           const v1::ListRuleSetsRequest*,
                                                           v1::ListRuleSetsResponse* response) {
  return dispatcher_.Unary(context, "tarot.rules.v1.RefereeService/ListRuleSets",
                           Access::kEveryCaller,
                           [=](const Caller&) { return rules_service::ListRuleSets(response); });
}

}  // namespace tarot::rules_service
