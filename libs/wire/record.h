// Converts a finished deal's record from proto to libs/notation, which can replay and prove it.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/notation/record.h"
#include "tarot/rules/v1/deal_record.pb.h"

namespace tarot::wire {

namespace v1 = ::tarot::rules::v1;

// Returns the record, rotated so that seat A speaks first, with all its claims. Names and other
// text stay as they are, so code that shows them must escape them. Returns INVALID_ARGUMENT
// BAD_REQUEST if fields contradict each other or are out of range, for example a seed of the wrong
// length.
absl::StatusOr<notation::Document> DecodeRecord(const v1::DealRecord& record,
                                                absl::string_view field);

}  // namespace tarot::wire
