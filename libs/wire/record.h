// A finished deal's record: proto to libs/notation, which can replay and prove it.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/notation/record.h"
#include "tarot/rules/v1/deal_record.pb.h"

namespace tarot::wire {

namespace v1 = ::tarot::rules::v1;

// The record turned so that seat A speaks first, with all that it states; names and other text as
// they stand, whoever shows them makes them safe. INVALID_ARGUMENT BAD_REQUEST when its parts do
// not fit together (seats, cards that are none, a seed of the wrong length).
absl::StatusOr<notation::Document> DecodeRecord(const v1::DealRecord& record,
                                                absl::string_view field);

}  // namespace tarot::wire
