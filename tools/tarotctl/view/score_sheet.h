// Shows the score sheet of a match as text. The function is pure.
#pragma once

#include <string>

#include "tarot/rules/v1/score_sheet.pb.h"
#include "tools/cli/text.h"

namespace tarot::tarotctl {

// Returns a line with the cards that the seats drew, and the first dealer.
std::string RenderDraw(const rules::v1::ScoreSheet& sheet, const cli::TextStyle& style);

// Returns three parts: the draw for the first dealer; for each deal, the contract and the
// calculation of the unit; and a table with one row for each deal, with the score and the total of
// each seat.
std::string RenderScoreSheet(const rules::v1::ScoreSheet& sheet, const cli::TextStyle& style);

}  // namespace tarot::tarotctl
