// Converts cards, actions, views and results between the types of libs/rules and their protos.
// Encoding never fails. Decoding returns INVALID_ARGUMENT BAD_REQUEST with the path of the wrong
// field.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/rules/action.h"
#include "libs/rules/deal.h"
#include "libs/rules/view.h"
#include "tarot/rules/v1/deal.pb.h"

namespace tarot::wire {

namespace v1 = ::tarot::rules::v1;

v1::Contract EncodeContract(rules::Contract contract);
absl::StatusOr<rules::Contract> DecodeContract(v1::Contract contract, absl::string_view field);

void EncodeCards(rules::CardSet cards, google::protobuf::RepeatedField<std::uint32_t>* out);
// Returns an error for a number that is not a card, and for a repeated card.
absl::StatusOr<rules::CardSet> DecodeCards(
    const google::protobuf::RepeatedField<std::uint32_t>& cards, absl::string_view field);
absl::StatusOr<rules::Card> DecodeCard(std::uint32_t card, absl::string_view field);

void EncodeAction(const rules::Action& action, v1::Action* out);
absl::StatusOr<rules::Action> DecodeAction(const v1::Action& action, absl::string_view field);

void EncodeLegal(const rules::RuleSet& rules, int players, const rules::LegalActions& legal,
                 v1::LegalActions* out);
// Encodes the result of a deal. `view` must be a view of the finished deal.
void EncodeResult(const rules::View& view, v1::DealResult* out);
// Encodes a view. `rule_set` is the name of its rule set. If NameTells(rule_set, view.rules) in
// rule_set.h is false, the message also has the values of the rule set.
void EncodeView(const rules::View& view, absl::string_view rule_set, v1::DealView* out);
// Encodes only the fields that differ between viewers. Encodes the écart only if `discard` is true.
void EncodeOwnView(const rules::View& view, bool discard, v1::DealView* out);
// Decodes a view. Checks that seats and sizes are in range, and that no set of cards has a card
// twice. libs/ai needs these guarantees. Returns BAD_REQUEST for an unknown `rule_set`, and
// NOT_FOUND RULE_SET_NOT_FOUND for an unknown preset in `rules`.
absl::StatusOr<rules::View> DecodeView(const v1::DealView& view);

}  // namespace tarot::wire
