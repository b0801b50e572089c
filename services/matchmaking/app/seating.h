// From a matcher's wave to planned tables: ids, seats in random order, and bots for casual queues.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "libs/base/entropy.h"
#include "libs/matching/matcher.h"
#include "services/matchmaking/app/ticket.h"

namespace tarot::matchmaking_service {

// Who of the roster fills the free seats of casual tables: those good enough for people that are
// not among the first `population_size`, who queue by themselves.
std::vector<Bot> Fillers(absl::Span<const Bot> roster, std::size_t population_size);

// Moves tickets that have waited for the queue's bot_fill_delay, and those that keep them company,
// oldest first and whatever their ratings, from `wave.waiting` to tables that may be short of
// players.
void FillFromWaiting(const Queue& queue, absl::Span<const matching::MatchTicket> tickets,
                     absl::Time now, matching::MatchWave& wave);

// The planned table of one table of a wave; free seats go to some of `bots`, of which there must be
// enough.
PlannedTable PlanTable(const Queue& queue, absl::Span<const Ticket> tickets,
                       const matching::MatchedTable& table, absl::Span<const Bot> bots,
                       absl::Time now, Entropy& entropy);

}  // namespace tarot::matchmaking_service
