// Domain ↔ proto for cards, actions, views and results: the only place that knows both.
// Encoding never fails; decoding answers INVALID_ARGUMENT BAD_REQUEST with the field's path.
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
// Refuses numbers that are no card, and the same card twice.
absl::StatusOr<rules::CardSet> DecodeCards(
    const google::protobuf::RepeatedField<std::uint32_t>& cards, absl::string_view field);
absl::StatusOr<rules::Card> DecodeCard(std::uint32_t card, absl::string_view field);

void EncodeAction(const rules::Action& action, v1::Action* out);
absl::StatusOr<rules::Action> DecodeAction(const v1::Action& action, absl::string_view field);

void EncodeLegal(const rules::RuleSet& rules, int players, const rules::LegalActions& legal,
                 v1::LegalActions* out);
// Of a view that is done.
void EncodeResult(const rules::View& view, v1::DealResult* out);
// `rule_set` is the name; the values follow where it does not tell them.
void EncodeView(const rules::View& view, absl::string_view rule_set, v1::DealView* out);
// Of the same, what differs from viewer to viewer, with the écart or without.
void EncodeOwnView(const rules::View& view, bool discard, v1::DealView* out);
// Checks shape and sizes (seats in range, tricks no longer than the table, cards once): what comes
// out can be given to libs/ai.
absl::StatusOr<rules::View> DecodeView(const v1::DealView& view);

}  // namespace tarot::wire
