// Forms the tables of casual queues, where parties play together and bots fill free seats. The code
// is pure.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/matching/matcher.h"
#include "services/matchmaking/app/ticket.h"

namespace tarot::matchmaking_service {

// Forms tables from the waiting tickets of a casual queue, oldest first. `candidates` has the same
// tickets in the form that the matcher needs. The tickets of a party get one table, or all of them
// wait. A party waits while one of its persons has no ticket in the queue, and while there is a
// block between two of its persons. No table seats two players with a block between them.
//
// A table with a party takes the oldest other tickets and parties that fit, whatever their ratings.
// All other tables come from matching::MakeTables. A ticket that has waited for the queue's
// bot_fill_delay gets a table with fewer tickets than seats. A party gets such a table when its
// youngest ticket has waited for this time.
matching::MatchWave MakeCasualTables(const Queue& queue, absl::Span<const Ticket> tickets,
                                     absl::Span<const matching::MatchTicket> candidates,
                                     absl::Time now);

// Returns for each ticket the obstacle that keeps it and `ticket` (an index in `tickets`) from
// sharing a table. The other arguments are those of MakeCasualTables. Two tickets without parties
// may also be kept apart by their ratings, or by recent tables that their players shared, until the
// queue's bot_fill_delay has passed.
std::vector<matching::Obstacle> ExplainCasual(const Queue& queue, absl::Span<const Ticket> tickets,
                                              absl::Span<const matching::MatchTicket> candidates,
                                              absl::Time now, std::size_t ticket);

}  // namespace tarot::matchmaking_service
