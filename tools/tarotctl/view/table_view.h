// A table as text: the screen, the changes between two views, and the results. Pure: the same
// table, time and style give the same text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tarot/ratings/v1/rating_service.pb.h"
#include "tarot/rules/v1/table.pb.h"
#include "tools/cli/text.h"

namespace tarot::tarotctl {

// Seats, contract, the current trick and the viewer's hand with the legal cards in [brackets]. At
// most 80 columns wide.
std::string RenderTable(const rules::v1::Table& table, absl::Time now, const cli::TextStyle& style);

// Returns the hand alone, one line a suit.
std::string RenderHand(const rules::v1::DealView& deal, const cli::TextStyle& style);

// `before` may be an empty Table: then everything of the deal so far. Views may skip revisions, and
// even deals; then the lines begin with the deal that is new.
std::vector<std::string> DescribeChanges(const rules::v1::Table& before,
                                         const rules::v1::Table& after,
                                         const cli::TextStyle& style);

// Returns the contract's fate in words, without names of seats: "Garde made by 12: 53 points, 2
// bouts, 41 needed." and a line for each bonus.
std::string ResultText(const rules::v1::DealResult& result);

// For a table whose deal is done: the taker, ResultText, and the scores of the deal and the match.
std::string RenderDealResult(const rules::v1::Table& table, const cli::TextStyle& style);

// Final places. `changes` holds, by player, what a ranked match did to the rating; players that are
// not in it have no rating columns.
std::string RenderMatchResult(const rules::v1::Table& table,
                              const std::map<std::string, ratings::v1::RatingChange>& changes,
                              const cli::TextStyle& style);

}  // namespace tarot::tarotctl
