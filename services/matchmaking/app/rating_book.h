// The ratings that matching uses: asked for once a ticket, kept from before while nobody answers.
#pragma once

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "services/matchmaking/app/rating_client.h"
#include "services/matchmaking/app/ticket.h"

namespace tarot::matchmaking_service {

// One thread at a time.
class RatingBook {
 public:
  // Players of those tickets whose ratings have not been learned since the ticket came.
  std::vector<PlayerId> Missing(absl::Span<const Ticket> tickets, int player_count) const;

  void Learn(absl::Span<const Ticket> tickets, const Ratings& ratings, int player_count);

  // The last known, else 1500.
  int Of(PlayerId player, int player_count) const;

 private:
  absl::flat_hash_map<std::pair<PlayerId, int>, int> known_;
  absl::flat_hash_set<TicketId> asked_;  // Tickets whose player's rating is fresh.
};

}  // namespace tarot::matchmaking_service
