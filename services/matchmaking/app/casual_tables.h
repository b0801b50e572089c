// Declares the functions that form the tables of casual queues, where parties play together and
// bots fill free seats. The code is pure: it only computes results from its arguments.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/matching/matcher.h"
#include "services/matchmaking/app/ticket.h"

namespace tarot::matchmaking_service {

// Forms tables of a casual queue. `tickets` are the waiting tickets of the queue, oldest first.
// `candidates` are the same tickets in the form that the matcher needs. The tickets of a party get
// the same table, or all of them wait. A party waits while one of its persons has no ticket in the
// queue, or two of its persons have a block between them. No table seats two players with a block
// between them.
//
// If other tickets and parties can fill the seats beside a party, the party gets a full table with
// the oldest of them. Ratings do not matter for such a table. A party without a table waits for the
// reason kTooFewPlayers, or kBlocked if only blocks forbid every full table with it. All other full
// tables come from matching::MakeTables with `round_trips`. A ticket that has waited for the
// queue's bot_fill_delay gets a table even if bots must fill some seats. A party gets such a table
// when its youngest ticket has waited for this time.
matching::MatchWave MakeCasualTables(const Queue& queue, absl::Span<const Ticket> tickets,
                                     absl::Span<const matching::MatchTicket> candidates,
                                     absl::Time now, const matching::RoundTrips& round_trips = {});

// Returns for each ticket i the obstacle to a table with this ticket and with `ticket`, an index in
// `tickets`. The obstacle is kNone if there may be such a table. The table also has the parties of
// both tickets. The other arguments are those of MakeCasualTables. For two tickets without a party,
// the obstacle may be their ratings, an earlier meeting or their regions. Such an obstacle ends
// after bot_fill_delay, which this function does not check.
std::vector<matching::Obstacle> ExplainCasual(const Queue& queue, absl::Span<const Ticket> tickets,
                                              absl::Span<const matching::MatchTicket> candidates,
                                              absl::Time now, std::size_t ticket,
                                              const matching::RoundTrips& round_trips = {});

}  // namespace tarot::matchmaking_service
