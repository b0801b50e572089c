// Shows the score sheet of a match as text. The function is pure.
#pragma once

#include <string>

#include "tarot/rules/v1/score_sheet.pb.h"
#include "tools/cli/text.h"

namespace tarot::tarotctl {

// Returns the draw for the first dealer, then for each deal what was played and the unit as
// arithmetic, then one row per deal with each seat's score and total.
std::string RenderScoreSheet(const rules::v1::ScoreSheet& sheet, const cli::TextStyle& style);

}  // namespace tarot::tarotctl
