// VerifyRecord: replays a record from its seed and compares all that it says.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/message_differencer.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/dealing/shuffle.h"
#include "libs/rules/view.h"
#include "libs/wire/convert.h"
#include "services/rules/app/record_service.h"
#include "services/rules/transport/referee.h"

namespace tarot::rules_service {
namespace {

using google::protobuf::util::MessageDifferencer;

struct Claim {
  rules::RuleSet rules;
  dealing::DealSeed seed{};
  std::vector<DealRecord::Entry> entries;
};

absl::StatusOr<Claim> Decode(const v1::DealRecord& record) {
  const rules::NamedRuleSet* named = rules::FindRuleSet(record.rule_set());
  if (named == nullptr) {
    return Error(absl::StatusCode::kNotFound, "RULE_SET_NOT_FOUND", "There is no such rule set.",
                 {{"rule_set", record.rule_set()}});
  }
  Claim claim{.rules = named->rules};
  if (record.players_size() < named->rules.players_min ||
      record.players_size() > named->rules.players_max) {
    return BadRequest("record.players", "not played under this rule set");
  }
  if (record.dealer() >= static_cast<std::uint32_t>(record.players_size())) {
    return BadRequest("record.dealer", "no such seat");
  }
  if (record.seed().size() != claim.seed.size()) return BadRequest("record.seed", "64 bytes");
  std::copy(record.seed().begin(), record.seed().end(), claim.seed.begin());
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
  const dealing::Commitment commitment = dealing::Commit(claim.seed);
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
      ReplayDeal(claim.rules, record.players_size(), static_cast<rules::Seat>(record.dealer()),
                 claim.seed, claim.entries);
  if (!deal.ok()) {
    response->add_problems(absl::StrCat("an action is illegal: ", deal.status().message()));
    return absl::OkStatus();
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
