// How a deal and a match ended. Pure.
#pragma once

#include <map>
#include <string>

#include "tarot/ratings/v1/rating_service.pb.h"
#include "tarot/rules/v1/table.pb.h"
#include "tools/cli/text_style.h"

namespace tarot::tarotctl {

// The contract's fate in words, without names of seats: "Garde made by 12: 53 points, 2 bouts, 41
// needed." and a line for each bonus.
std::string ResultText(const rules::v1::DealResult& result);

// For a table whose deal is done: the taker, ResultText, and the scores of the deal and the match.
std::string RenderDealResult(const rules::v1::Table& table, const cli::TextStyle& style);

// Final places. `changes` holds, by player, what a ranked match did to the rating; players that are
// not in it have no rating columns.
std::string RenderMatchResult(const rules::v1::Table& table,
                              const std::map<std::string, ratings::v1::RatingChange>& changes,
                              const cli::TextStyle& style);

}  // namespace tarot::tarotctl
