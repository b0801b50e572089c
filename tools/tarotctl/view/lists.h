// The lists that the read commands show. The functions are pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "google/protobuf/repeated_ptr_field.h"
#include "tarot/matchmaking/v1/matchmaking_service.pb.h"
#include "tarot/ratings/v1/rating_service.pb.h"
#include "tarot/rules/v1/record_service.pb.h"
#include "tarot/rules/v1/table_service.pb.h"
#include "tools/cli/text.h"

namespace tarot::tarotctl {

// Returns the ranked players in the given order, then a line, then the players without a place. The
// last line has the number of places and the season. Marks the row of `me`.
std::string RenderLadder(const ratings::v1::ListRatingsResponse& ladder, const std::string& me,
                         const cli::TextStyle& style);

// Returns one line per player: the name, the place, the tier, the rating and the id. If there are
// more players, the last line says how to see the next page.
std::string RenderFound(const ratings::v1::SearchPlayersResponse& found);

// Returns whether the player has finished a deal. `records` is the first page of the player's
// records. The server leaves out deals without a score whose match is not over, so the page may
// have no record. If the page has a token of the next page, the player has finished a deal.
bool HasFinishedDeal(const ratings::v1::Rating& rating,
                     const rules::v1::ListRecordsResponse& records);

std::string RenderPlayer(const ratings::v1::Rating& rating,
                         const ratings::v1::ListRatingChangesResponse& changes,
                         const ratings::v1::GetPlayerStatisticsResponse& statistics,
                         const rules::v1::ListRecordsResponse& records,
                         const cli::TextStyle& style);

// Returns one line per match: its time, deals and points, the rating before and after, the
// opponents with their points, and the table.
std::string RenderMatches(const ratings::v1::ListMatchesResponse& matches);

std::string RenderTables(const rules::v1::ListTablesResponse& tables);
std::string RenderQueues(const matchmaking::v1::ListQueuesResponse& queues);

// Returns a text such as "Waited 0:12. Place 2 of 3: too few players wait." Without
// `waited_seconds` the text changes only when the ticket changes.
std::string TicketText(const matchmaking::v1::Ticket& ticket,
                       std::optional<long long> waited_seconds);

}  // namespace tarot::tarotctl
