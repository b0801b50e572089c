// Declares the statements that record a batch of matches.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "libs/pg/pool.h"
#include "services/ratings/app/rating_store.h"

namespace tarot::ratings_service {

// Returns and locks standings of players on ladders. All transactions lock players in the order of
// their ids, so no deadlock is possible. If this statement has waited for another transaction, its
// rows have the values that the other transaction committed.
extern const pg::Statement kLockStandings;

// Returns which of the matches are stored already, and the newest season of each ladder. This
// statement runs after kLockStandings. So if kLockStandings has waited for a transaction, this
// statement sees the matches of that transaction.
extern const pg::Statement kReadBatchState;

// Stores several matches. A match gets its sequence number while its players are locked, so later
// matches of a player have higher numbers. If another transaction has stored one of these matches,
// the primary key of `matches` refuses it, and the returned number of stored matches is smaller. A
// new player has no row that could be locked. If two transactions store matches of the same new
// player, the key ledger_uq_match_number refuses the second match.
extern const pg::Statement kRecordMatches;

// Does the work of RatingStore::RecordBatch() with the three statements above. `connection` must
// have prepared them. Throws the exceptions of pqxx. If the key ledger_uq_match_number refuses a
// match, the exception is a unique violation.
absl::StatusOr<std::vector<Recorded>> RecordMatches(pqxx::connection& connection,
                                                    const std::vector<MatchResult>& matches,
                                                    const RateBatch& rate);

}  // namespace tarot::ratings_service
