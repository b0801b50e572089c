// A finished deal from its record: hands, auction, dog, écart, tricks and score. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "tarot/rules/v1/deal_record.pb.h"
#include "tools/cli/text.h"

namespace tarot::tarotctl {

// Replays the record by the rules, so the text shows the real course of the deal. Errors:
// FAILED_PRECONDITION when the record contradicts the rules, NOT_FOUND when its rule set is unknown
// to this program.
absl::StatusOr<std::string> RenderRecord(const rules::v1::DealRecord& record,
                                         const cli::TextStyle& style);

// "" when the seed fits the commitment, the hands and the dog; otherwise the first part that it
// does not fit.
std::string SeedProblem(const rules::v1::DealRecord& record);

}  // namespace tarot::tarotctl
