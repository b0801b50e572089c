// Shows a table, and a finished deal from its record, as text: the screen, the changes between two
// views, and the results. The functions are pure: the same table, time and style give the same
// text.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/rules/parameters/rule_set.h"
#include "tarot/ratings/v1/rating_service.pb.h"
#include "tarot/rules/v1/deal_record.pb.h"
#include "tarot/rules/v1/table.pb.h"
#include "tools/cli/text.h"

namespace tarot::tarotctl {

// Returns the seats, the contract, the current trick and the viewer's hand, with the legal cards in
// [brackets]. `disconnected` are the seats that have lost the connection. The text is at most 80
// columns wide.
std::string RenderTable(const rules::v1::Table& table, absl::Time now, const cli::TextStyle& style,
                        const std::set<std::uint32_t>& disconnected = {});

// Returns only the hand, with one line per suit.
std::string RenderHand(const rules::v1::DealView& deal, const cli::TextStyle& style);

// Returns one line for each change. If `before` is an empty Table, describes the whole deal so far.
// Views may skip revisions. If they skip the end of a deal, one line shows the points of that deal.
std::vector<std::string> DescribeChanges(const rules::v1::Table& before,
                                         const rules::v1::Table& after,
                                         const cli::TextStyle& style);

// Returns the result of a deal in words, without names of seats. For a scored contract, this is
// "Garde made by 12: 53 points with 2 bouts, 41 needed." and a line for each bonus. Practice games
// have the words of their source.
std::string ResultText(const rules::v1::DealResult& result, const rules::RuleSet& rules);

// Returns the result of a deal that is done. For a scored deal, this is the taker, the claim, the
// text of ResultText(), the dog, the écart, and the scores of the deal and the match.
std::string RenderDealResult(const rules::v1::Table& table, const cli::TextStyle& style);

// Returns the part of a match's points that is due to the luck of the cards, and the rest: "luck
// +30, without it +90". Returns an empty text if the match is rated by plain points.
std::string LuckText(const ratings::v1::RatingChange& change);

// Returns the final places. `changes` maps a player to the effect of a ranked match on the rating.
// Players who are not in `changes` have no rating columns.
std::string RenderMatchResult(const rules::v1::Table& table,
                              const std::map<std::string, ratings::v1::RatingChange>& changes,
                              const cli::TextStyle& style);

// Returns the text of a record. The text shows the real course of the deal, because this function
// replays the record by the rules. Returns FAILED_PRECONDITION when the record contradicts the
// rules, and NOT_FOUND when this program does not know its rule set.
absl::StatusOr<std::string> RenderRecord(const rules::v1::DealRecord& record,
                                         const cli::TextStyle& style);

// Returns "" when the seed fits the commitment, the hands and the dog. Otherwise returns a text
// that continues "Seed: " and names the problem.
std::string SeedProblem(const rules::v1::DealRecord& record);

}  // namespace tarot::tarotctl
