// A finished deal from its record: hands, auction, dog, écart, tricks and score. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "tarot/rules/v1/deal_record.pb.h"
#include "tools/cli/text_style.h"

namespace tarot::tarotctl {

// Replays the record by the rules, so that what is shown is what happened. Errors:
// FAILED_PRECONDITION when the record contradicts the rules, NOT_FOUND when its rule set is unknown
// to this program.
absl::StatusOr<std::string> RenderRecord(const rules::v1::DealRecord& record,
                                         const cli::TextStyle& style);

// What the seed says: "" when it fits the commitment, the hands and the dog, otherwise what does
// not fit.
std::string SeedProblem(const rules::v1::DealRecord& record);

}  // namespace tarot::tarotctl
