// The statements that record a batch of matches.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "libs/pg/pool.h"
#include "services/ratings/app/rating_store.h"

namespace tarot::ratings_service {

// Returns and locks the standings of players on ladders. All transactions lock players in the order
// of their ids, so that no deadlock is possible. The rows have the newest committed values, also if
// this statement waited for another transaction.
extern const pg::Statement kLockStandings;

// Returns which of the matches are stored, and the newest season of each ladder. It runs after
// kLockStandings, so it sees each match whose transaction held one of the locks.
extern const pg::Statement kReadBatchState;

// Stores several matches. A match draws its sequence while its players are locked, so the sequences
// of a player's matches rise. If another transaction stores one of these matches, the primary key
// of `matches` refuses this match, and the returned number of stored matches is smaller. A new
// player has no row that could be locked. If two transactions store matches of such a player, the
// key ledger_uq_match_number refuses the second match.
extern const pg::Statement kRecordMatches;

// Does the work of RatingStore::RecordBatch() with these three statements, which `connection` must
// have prepared. Throws the exceptions of pqxx: a unique violation if the key
// ledger_uq_match_number refuses a match.
absl::StatusOr<std::vector<Recorded>> RecordMatches(pqxx::connection& connection,
                                                    const std::vector<MatchResult>& matches,
                                                    const RateBatch& rate);

}  // namespace tarot::ratings_service
