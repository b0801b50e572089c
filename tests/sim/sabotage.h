// The faults that tests plant and the simulation must find. Also makes the stores of a run, because
// some of the faults are faults of a store.
#pragma once

#include <memory>

#include "services/matchmaking/testing/fake_ticket_store.h"
#include "services/ratings/testing/fake_rating_store.h"
#include "services/rules/testing/fake_table_store.h"
#include "tests/sim/log_reader.h"

namespace tarot::sim {

enum class Sabotage {
  kNone,
  kAnswerBeforeCommit,  // The log acknowledges one batch in fifty without storing it.
  kForgetRequests,      // The log does not recognize a repeated request.
  kLoseEnd,             // The outbox delivers no finished match.
  kChargeOutage,        // Clocks run while no server hosts the table.
  kShowOther,           // A player's answer contains the view of the neighbour.
  kHideEnd,             // Streams do not show the end of a match.
  kNoTakeover,          // No replica acquires the tables of a dead replica.
  kRateTwice,           // The ledger does not recognize a repeated match.
  kReleaseEarly,        // Players may queue again as soon as their match begins.
  kRefuseClaims,        // The answer to an accepted claim says that the claim was refused.
  kSayOther,            // The service stores another phrase than the player said.
  kMuteAgain,           // The service stores the opposite of each mute.
  kAgreeForAll,         // When a seat refuses a proposal, the service stores that the seat agrees.
  kCancelOther,         // The service cancels the deal in play, not the one that was named.
  kAlwaysOver,          // Rules tells matchmaking that a match is over while it runs.
  kNeverOver,           // Rules tells matchmaking that a match runs although it is over.
};

// `reader` receives each commit.
std::unique_ptr<rules_service::FakeTableStore> MakeTableStore(Sabotage sabotage, LogReader& reader);
std::unique_ptr<matchmaking_service::FakeTicketStore> MakeTicketStore(Sabotage sabotage);
std::unique_ptr<ratings_service::FakeRatingStore> MakeRatingStore(Sabotage sabotage);

}  // namespace tarot::sim
