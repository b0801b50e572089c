// The faults that tests plant to check that the simulation finds them.
#pragma once

#include <memory>

#include "services/matchmaking/app/ticket_store.h"
#include "services/ratings/app/rating_service.h"
#include "services/rules/app/table_store.h"

namespace tarot::sim {

enum class Sabotage {
  kNone,
  kAnswerBeforeCommit,  // The log acknowledges, but does not store one batch in fifty.
  kForgetRequests,      // The log does not recognize a repeated request.
  kLoseEnd,             // The outbox delivers no finished match.
  kChargeOutage,        // Clocks run while no server hosts the table.
  kShowOther,           // A player's answer contains the view of the neighbour.
  kHideEnd,             // Streams do not show the end of a match.
  kNoTakeover,          // No replica acquires the tables of a dead one.
  kRateTwice,           // The ledger does not recognize a repeated match.
  kReleaseEarly,        // Players may queue again as soon as their match begins.
};

std::unique_ptr<rules_service::TableStore> MakeTableStore(Sabotage sabotage);
std::unique_ptr<matchmaking_service::TicketStore> MakeTicketStore(Sabotage sabotage);
std::unique_ptr<ratings_service::RatingStore> MakeRatingStore(Sabotage sabotage);

}  // namespace tarot::sim
