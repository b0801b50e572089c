// The statements that record a batch of matches.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "libs/pg/pool.h"
#include "services/ratings/app/rating_store.h"

namespace tarot::ratings_service {

// Returns and locks standings of players on ladders. All transactions lock players in the order of
// their ids, so no deadlock is possible. If this statement waits for another transaction, its rows
// have the values that this transaction committed.
extern const pg::Statement kLockStandings;

// Returns which of the matches are stored, and the newest season of each ladder. It runs after
// kLockStandings. So it sees the matches of each transaction for which kLockStandings has waited.
extern const pg::Statement kReadBatchState;

// Stores several matches. A match draws its sequence while its players are locked, so later matches
// of a player have higher sequences. If another transaction has stored one of these matches, the
// primary key of `matches` refuses it, and the returned number of stored matches is smaller. A new
// player has no row that could be locked. If two transactions store matches of the same new player,
// the key ledger_uq_match_number refuses the second match.
extern const pg::Statement kRecordMatches;

// Does the work of RatingStore::RecordBatch() with these three statements, which `connection` must
// have prepared. Throws the exceptions of pqxx. One of them is the unique violation, if the key
// ledger_uq_match_number refuses a match.
absl::StatusOr<std::vector<Recorded>> RecordMatches(pqxx::connection& connection,
                                                    const std::vector<MatchResult>& matches,
                                                    const RateBatch& rate);

}  // namespace tarot::ratings_service
