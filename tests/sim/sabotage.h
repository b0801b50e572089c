// Faults that a test plants on purpose, to see that the simulation finds them.
#pragma once

#include <memory>

#include "services/matchmaking/app/ticket_store.h"
#include "services/ratings/app/rating_store.h"
#include "services/rules/app/table_store.h"

namespace tarot::sim {

enum class Sabotage {
  kNone,
  kAnswerBeforeCommit,  // The log says that it has stored, and one time in fifty it has not.
  kForgetRequests,      // The log does not know a request again.
  kLoseEnd,             // The end of a match is told to nobody.
  kChargeOutage,        // Clocks go on while no server is there.
  kShowOther,           // A player's answer shows what the neighbour sees.
  kHideEnd,             // Streams do not show that a match is over.
  kNoTakeover,          // The tables of a dead replica are taken up by nobody.
  kRateTwice,           // The ledger does not know a match again.
  kReleaseEarly,        // Players may queue again as soon as their match begins.
};

std::unique_ptr<rules_service::TableStore> MakeTableStore(Sabotage sabotage);
std::unique_ptr<matchmaking::TicketStore> MakeTicketStore(Sabotage sabotage);
std::unique_ptr<ratings::RatingStore> MakeRatingStore(Sabotage sabotage);

}  // namespace tarot::sim
