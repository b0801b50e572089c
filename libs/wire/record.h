// Converts a finished deal's record from proto to libs/notation, which can replay and prove it.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/notation/record.h"
#include "tarot/rules/v1/deal_record.pb.h"

namespace tarot::wire {

namespace v1 = ::tarot::rules::v1;

// Returns the record rotated so that seat A speaks first, with all its claims. Keeps names and
// other text as they are; code that shows them must escape them. INVALID_ARGUMENT BAD_REQUEST if
// its fields contradict each other (seats, cards out of range, a seed of the wrong length).
absl::StatusOr<notation::Document> DecodeRecord(const v1::DealRecord& record,
                                                absl::string_view field);

}  // namespace tarot::wire
