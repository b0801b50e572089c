#include "services/rules/transport/convert.h"

#include <algorithm>
#include <string>

#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/wire/convert.h"
#include "libs/wire/rule_set.h"
#include "libs/wire/values.h"
#include "services/rules/transport/names.h"

namespace tarot::rules_service {
namespace {

absl::Duration DecodeDuration(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

void EncodeSeat(const TableView& view, std::size_t seat, v1::Seat* out) {
  const SeatConfig& config = view.config->seats[seat];
  out->set_player(PlayerName(config.player));
  out->set_display_name(config.display_name);
  out->set_bot_level(config.bot_level);
  out->set_total(view.totals[seat]);
  out->set_held_by_bot(view.seats[seat].held());
  wire::EncodeDuration(view.seats[seat].time_bank, out->mutable_time_bank());
}

template <typename Bytes>
std::string AsString(const Bytes& bytes) {
  return std::string(bytes.begin(), bytes.end());
}

// What the cards follow from.
void EncodeOrigin(const DealRecord& record, v1::DealRecord* out) {
  const dealing::Provenance& from = record.origin.provenance;
  out->set_seed(AsString(from.seed));
  out->set_procedure(static_cast<std::uint32_t>(from.procedure));
  const bool added = std::any_of(from.nonces.begin(), from.nonces.end(),
                                 [](const std::string& nonce) { return !nonce.empty(); });
  for (std::size_t seat = 0; added && seat < record.config.seats.size(); ++seat) {
    out->add_nonces(from.nonces[seat]);
  }
  if (from.gathered) {
    for (const rules::Card card : *from.gathered) {
      out->add_gathered(static_cast<std::uint32_t>(rules::Index(card)));
    }
  }
  if (record.origin.taker != rules::kNoSeat) {
    out->set_board_taker(static_cast<std::uint32_t>(record.origin.taker));
  }
}

}  // namespace

void EncodeTableSummary(const TableView& view, v1::Table* out) {
  out->set_name(TableName(view.config->id));
  out->set_revision(view.revision);
  out->set_state(view.phase == TablePhase::kPlaying   ? v1::Table::PLAYING
                 : view.phase == TablePhase::kDealing ? v1::Table::DEALING
                                                      : v1::Table::FINISHED);
  for (std::size_t seat = 0; seat < view.config->seats.size(); ++seat) {
    EncodeSeat(view, seat, out->add_seats());
  }
  if (view.viewer != rules::kNoSeat) out->set_viewer(static_cast<std::uint32_t>(view.viewer));
  out->set_deal_count(static_cast<std::uint32_t>(view.config->deal_count));
  out->set_deals_scored(static_cast<std::uint32_t>(view.deals_scored));
  out->set_deal_number(static_cast<std::uint32_t>(view.deal_number));
  wire::EncodeDuration(view.config->move_limit, out->mutable_clocks()->mutable_move_limit());
  wire::EncodeDuration(view.config->time_bank, out->mutable_clocks()->mutable_time_bank());
  out->set_ranked(view.config->ranked);
  wire::EncodeTime(view.config->create_time, out->mutable_create_time());
  wire::EncodeRuleSetOf(view.config->rule_set, view.config->rules, out);
  if (view.phase == TablePhase::kFinished) return;
  v1::NextDeal* next = out->mutable_next_deal();
  next->set_deal_number(static_cast<std::uint32_t>(view.deal_number + 1));
  if (!view.next_commitment) return;
  next->set_seed_commitment(AsString(*view.next_commitment));
  for (std::size_t seat = 0; seat < view.config->seats.size(); ++seat) {
    next->add_nonces(view.next_nonces[seat]);
  }
}

void EncodeTable(const TableView& view, v1::Table* out) {
  EncodeTableSummary(view, out);
  if (view.turn_expire_time != absl::InfiniteFuture()) {
    wire::EncodeTime(view.turn_expire_time, out->mutable_turn_expire_time());
  }
  if (!view.deal) return;
  wire::EncodeView(*view.deal, view.config->rule_set, out->mutable_deal());
  out->set_seed_commitment(AsString(view.commitment));
}

absl::StatusOr<SubmitCommand> Decode(const v1::SubmitActionRequest& request) {
  SubmitCommand command{.expected_revision = request.expected_revision()};
  TAROT_ASSIGN_OR_RETURN(command.request, ParseRequestId(request.request_id(), "request_id"));
  if (request.expected_revision() < 0) return BadRequest("expected_revision", "negative");
  TAROT_ASSIGN_OR_RETURN(command.action, wire::DecodeAction(request.action(), "action"));
  return command;
}

absl::StatusOr<TableConfig> Decode(const v1::CreateTableRequest& request) {
  if (!request.has_rules() && rules::FindRuleSet(request.rule_set()) == nullptr) {
    return BadRequest("rule_set", "unknown");
  }
  TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rules, wire::RuleSetOf(request, "rules"));
  const bool usual = request.deal_count() == 0;
  TableConfig config{
      .rule_set = request.has_rules() ? rules::RuleSetText(rules) : request.rule_set(),
      .rules = rules,
      .deal_count = usual ? rules.end_default : static_cast<int>(request.deal_count()),
      .move_limit = DecodeDuration(request.clocks().move_limit()),
      .time_bank = DecodeDuration(request.clocks().time_bank()),
      .ranked = request.ranked()};
  TAROT_ASSIGN_OR_RETURN(config.id, ParseTableName(request.name(), "name"));
  for (const v1::Seat& seat : request.seats()) {
    SeatConfig& out = config.seats.emplace_back();
    TAROT_ASSIGN_OR_RETURN(out.player, ParsePlayerName(seat.player(), "seats.player"));
    out.display_name = seat.display_name();
    out.bot_level = seat.bot_level();
  }
  return config;
}

absl::StatusOr<NonceCommand> Decode(const v1::AddNonceRequest& request) {
  NonceCommand command{.deal_number = static_cast<int>(request.deal_number()),
                       .nonce = request.nonce()};
  TAROT_ASSIGN_OR_RETURN(command.request, ParseRequestId(request.request_id(), "request_id"));
  if (request.nonce().empty() || request.nonce().size() > dealing::kNonceBytesMax) {
    return BadRequest("nonce", "1 to 32 bytes");
  }
  return command;
}

void EncodeRecordSummary(const DealRecord& record, v1::DealRecord* out) {
  out->set_name(DealName(record.key.table, record.key.number));
  wire::EncodeRuleSetOf(record.config.rule_set, record.config.rules, out);
  out->set_dealer(static_cast<std::uint32_t>(record.deal.dealer));
  out->set_seed_commitment(AsString(dealing::Commit(record.origin.provenance.seed)));
  for (const SeatConfig& seat : record.config.seats) {
    v1::DealRecord::Player* player = out->add_players();
    player->set_player(PlayerName(seat.player));
    player->set_display_name(seat.display_name);
    player->set_bot_level(seat.bot_level);
  }
  wire::EncodeResult(rules::MakeView(record.deal, rules::kNoSeat), out->mutable_result());
  wire::EncodeTime(record.key.finish_time, out->mutable_finish_time());
}

void EncodeRecord(const DealRecord& record, v1::DealRecord* out) {
  EncodeRecordSummary(record, out);
  EncodeOrigin(record, out);
  for (rules::Seat seat = 0; seat < record.deal.players; ++seat) {
    wire::EncodeCards(record.deal.dealt[static_cast<std::size_t>(seat)],
                      out->add_hands()->mutable_cards());
  }
  wire::EncodeCards(record.deal.dog, out->mutable_dog());
  for (const DealRecord::Entry& entry : record.entries) {
    v1::DealRecord::Entry* wire_entry = out->add_entries();
    wire_entry->set_seat(static_cast<std::uint32_t>(entry.seat));
    wire::EncodeAction(entry.action, wire_entry->mutable_action());
  }
}

}  // namespace tarot::rules_service
