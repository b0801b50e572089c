// VerifyRecord: replays a record from its seed and compares all that it says.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/message_differencer.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/rules/view.h"
#include "libs/wire/convert.h"
#include "libs/wire/rule_set.h"
#include "services/rules/app/record_service.h"
#include "services/rules/transport/names.h"
#include "services/rules/transport/referee.h"

namespace tarot::rules_service {
namespace {

using google::protobuf::util::MessageDifferencer;

struct Claim {
  rules::RuleSet rules;
  DealOrigin origin;
  bool first = false;  // Of its match.
  std::vector<DealRecord::Entry> entries;
};

absl::StatusOr<rules::PackOrder> DecodePack(const v1::DealRecord& record) {
  TAROT_ASSIGN_OR_RETURN(const rules::CardSet cards,
                         wire::DecodeCards(record.gathered(), "record.gathered"));
  if (cards != rules::CardSet::All()) return BadRequest("record.gathered", "every card once");
  rules::PackOrder pack;
  for (std::size_t i = 0; i < pack.size(); ++i) {
    pack[i] = rules::CardAt(static_cast<int>(record.gathered(static_cast<int>(i))));
  }
  return pack;
}

absl::StatusOr<dealing::Provenance> DecodeProvenance(const v1::DealRecord& record) {
  dealing::Provenance from;
  if (record.seed().size() != from.seed.size()) return BadRequest("record.seed", "64 bytes");
  std::copy(record.seed().begin(), record.seed().end(), from.seed.begin());
  if (record.procedure() > 2) return BadRequest("record.procedure", "1 or 2");
  if (record.procedure() < 2) from.procedure = dealing::Procedure::kSeedAlone;
  if (record.nonces_size() > record.players_size()) {
    return BadRequest("record.nonces", "one a seat");
  }
  for (int seat = 0; seat < record.nonces_size(); ++seat) {
    if (record.nonces(seat).size() > dealing::kNonceBytesMax) {
      return BadRequest("record.nonces", "at most 32 bytes");
    }
    from.nonces[static_cast<std::size_t>(seat)] = record.nonces(seat);
  }
  if (record.gathered_size() > 0) {
    TAROT_ASSIGN_OR_RETURN(from.gathered, DecodePack(record));
  }
  return from;
}

absl::StatusOr<DealOrigin> DecodeOrigin(const v1::DealRecord& record, const rules::RuleSet& rules) {
  const auto players = static_cast<std::uint32_t>(record.players_size());
  DealOrigin origin{.dealer = static_cast<rules::Seat>(record.dealer())};
  if (record.dealer() >= players) return BadRequest("record.dealer", "no such seat");
  const bool board = rules.taker_by == rules::TakerBy::kBoard;
  if (record.has_board_taker() != board || record.board_taker() >= players) {
    return BadRequest("record.board_taker", "a seat, where the rule set leaves it to the board");
  }
  if (board) origin.taker = static_cast<rules::Seat>(record.board_taker());
  TAROT_ASSIGN_OR_RETURN(origin.provenance, DecodeProvenance(record));
  return origin;
}

absl::StatusOr<Claim> Decode(const v1::DealRecord& record) {
  Claim claim;
  TAROT_ASSIGN_OR_RETURN(claim.rules, wire::RuleSetOf(record, "record.rules"));
  if (record.players_size() < claim.rules.players_min ||
      record.players_size() > claim.rules.players_max) {
    return BadRequest("record.players", "not played under this rule set");
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

// What the record should say of its cards and its end.
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

}  // namespace

absl::Status VerifyRecord(const v1::VerifyRecordRequest& request,
                          v1::VerifyRecordResponse* response) {
  const v1::DealRecord& record = request.record();
  TAROT_ASSIGN_OR_RETURN(const Claim claim, Decode(record));
  const absl::StatusOr<rules::Deal> deal =
      ReplayDeal(claim.rules, record.players_size(), claim.origin, claim.entries);
  if (!deal.ok()) {
    response->add_problems(absl::StrCat("an action is illegal: ", deal.status().message()));
    return absl::OkStatus();
  }
  const bool cut_only = claim.rules.shuffle == rules::Shuffle::kNoneBetweenDeals && !claim.first;
  const dealing::Provenance& from = claim.origin.provenance;
  const bool old = from.procedure == dealing::Procedure::kSeedAlone;
  if (from.gathered.has_value() != (cut_only && !old)) {
    response->add_problems("a pack is gathered exactly where it is not shuffled");
  }
  const rules::Seat drawn =
      FirstDealerOf(claim.rules, record.players_size(), claim.origin.provenance);
  if (claim.first && claim.origin.dealer != drawn) {
    response->add_problems("the first dealer is not the one who was drawn");
  }
  if (deal->phase != rules::Phase::kDone) response->add_problems("the deal is not finished");
  const v1::DealRecord truth = Truth(claim, *deal);
  if (record.seed_commitment() != truth.seed_commitment()) {
    response->add_problems("the commitment is not that of the seed");
  }
  if (!std::equal(record.hands().begin(), record.hands().end(), truth.hands().begin(),
                  truth.hands().end(), MessageDifferencer::Equals)) {
    response->add_problems("the hands are not those of the seed");
  }
  if (!std::equal(record.dog().begin(), record.dog().end(), truth.dog().begin(),
                  truth.dog().end())) {
    response->add_problems("the dog is not that of the seed");
  }
  if (!MessageDifferencer::Equals(record.result(), truth.result())) {
    response->add_problems("the result is not that of the play");
  }
  response->set_valid(response->problems().empty());
  return absl::OkStatus();
}

}  // namespace tarot::rules_service
