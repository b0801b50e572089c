// ImportRecords: deals written as text, proven, as messages.
#include <string>

#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/notation/prove.h"
#include "libs/notation/tdn.h"
#include "libs/rules/view.h"
#include "libs/wire/convert.h"
#include "libs/wire/rule_set.h"
#include "services/rules/transport/referee.h"

namespace tarot::rules_service {
namespace {

using notation::Slot;

constexpr std::size_t kTdnBytesMax = 100'000;

template <typename Bytes>
std::string AsString(const Bytes& bytes) {
  return {bytes.begin(), bytes.end()};
}

// Where the cards come from, as far as the text says.
void EncodeOrigin(const notation::Record& record, v1::DealRecord* out) {
  if (record.seed) out->set_seed(AsString(*record.seed));
  if (record.commitment) out->set_seed_commitment(AsString(*record.commitment));
  if (record.board_taker != rules::kNoSeat) {
    out->set_board_taker(static_cast<std::uint32_t>(record.board_taker));
  }
  if (record.procedure == dealing::Procedure::kSeedAlone) return;
  out->set_procedure(static_cast<std::uint32_t>(record.procedure));
  for (rules::Seat seat = 0; seat < record.players; ++seat) {
    out->add_nonces(record.nonces[Slot(seat)]);
  }
  if (!record.gathered) return;
  for (const rules::Card card : *record.gathered) {
    out->add_gathered(static_cast<std::uint32_t>(card));
  }
}

void Encode(const notation::Record& record, const rules::Deal& deal, v1::DealRecord* out) {
  wire::EncodeRuleSetOf(record.rule_set, deal.rules, out);
  out->set_dealer(static_cast<std::uint32_t>(record.Dealer()));
  EncodeOrigin(record, out);
  for (rules::Seat seat = 0; seat < record.players; ++seat) {
    out->add_players()->set_display_name(record.names[Slot(seat)]);
    wire::EncodeCards(record.hands[Slot(seat)], out->add_hands()->mutable_cards());
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

absl::Status ImportRecords(const v1::ImportRecordsRequest& request,
                           v1::ImportRecordsResponse* response) {
  if (request.tdn().size() > kTdnBytesMax) return BadRequest("tdn", "at most 100,000 bytes");
  TAROT_ASSIGN_OR_RETURN(const auto records, notation::ReadTdn(request.tdn()));
  for (const notation::Record& record : records) {
    TAROT_ASSIGN_OR_RETURN(const notation::Replayed replayed, notation::Replay(record));
    Encode(record, replayed.deal, response->add_records());
  }
  return absl::OkStatus();
}

}  // namespace tarot::rules_service
