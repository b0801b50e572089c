// Shows a finished deal from its record: hands, auction, dog, écart, tricks and score. The
// functions are pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "tarot/rules/v1/deal_record.pb.h"
#include "tools/cli/text.h"

namespace tarot::tarotctl {

// Replays the record by the rules, so the text shows the real course of the deal. Returns
// FAILED_PRECONDITION when the record contradicts the rules, and NOT_FOUND when this program does
// not know its rule set.
absl::StatusOr<std::string> RenderRecord(const rules::v1::DealRecord& record,
                                         const cli::TextStyle& style);

// Returns "" when the seed fits the commitment, the hands and the dog; otherwise the first of these
// that it does not fit.
std::string SeedProblem(const rules::v1::DealRecord& record);

}  // namespace tarot::tarotctl
