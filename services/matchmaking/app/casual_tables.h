// Forms the tables of casual queues, where parties play together and bots fill free seats. The code
// is pure.
#pragma once

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/matching/matcher.h"
#include "services/matchmaking/app/ticket.h"

namespace tarot::matchmaking_service {

// Forms tables from the waiting tickets of a casual queue, oldest first. `candidates` are the same
// tickets for the matcher. The tickets of a party sit at one table or wait. A party waits while
// one of its persons does not wait in the queue, and while two of them have a block between them.
// No table has a block between two players.
//
// A table with a party takes the oldest other tickets and parties that fit, whatever their ratings.
// All other tables come from matching::MakeTables. As soon as a ticket, or the youngest ticket of a
// party, has waited for the queue's bot_fill_delay, it gets a table with fewer tickets than seats.
matching::MatchWave MakeCasualTables(const Queue& queue, absl::Span<const Ticket> tickets,
                                     absl::Span<const matching::MatchTicket> candidates,
                                     absl::Time now);

}  // namespace tarot::matchmaking_service
