// The errors of the rules service, grouped by subject. docs/errors.md describes them.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/base/ids.h"

namespace tarot::rules_service {

// Errors about tables.
absl::Status TableNotFound();  // Returns NOT_FOUND TABLE_NOT_FOUND.
// Returns ALREADY_EXISTS TABLE_EXISTS: a table with this id exists and has other settings.
absl::Status TableExists();
absl::Status TablesFull();  // Returns RESOURCE_EXHAUSTED TABLES_FULL.
absl::Status TableBusy();   // Returns RESOURCE_EXHAUSTED TABLE_BUSY.
// Returns UNAVAILABLE TABLE_MOVED: another replica hosts the table.
absl::Status TableMoved();
// Returns DATA_LOSS TABLE_SET_BACK: stored entries are lost.
absl::Status TableSetBack();
absl::Status RevisionMismatch(int newest);  // Returns ABORTED REVISION_MISMATCH.
// Returns UNAVAILABLE HOST_AWAY: the table's host does not answer.
absl::Status HostAway();
// Returns FAILED_PRECONDITION WRONG_CELL: the request names another cell than `cell`, the cell of
// this replica.
absl::Status WrongCell(int cell);
// Returns FAILED_PRECONDITION DATABASE_OF_OTHER_CELL: the database belongs to `of_database`, and
// this program works for `cell`.
absl::Status DatabaseOfOtherCell(int of_database, int cell);
absl::Status NotSeated();  // Returns PERMISSION_DENIED NOT_SEATED.

// Errors about deals.
absl::Status RecordNotFound();  // Returns NOT_FOUND RECORD_NOT_FOUND.
// Returns FAILED_PRECONDITION RECORD_CLOSED: the deal had no score, and its match is not over.
absl::Status RecordClosed();
// Returns FAILED_PRECONDITION NONCE_REFUSED (metadata: why). `why` is one of these:
// - NO_SEED_YET, MATCH_OVER, NONCE_SIZE or DEAL_BEGAN;
// - NONCE_GIVEN: the seat has added another nonce before.
absl::Status NonceRefused(absl::string_view why);
// Returns FAILED_PRECONDITION CLAIM_REFUSED (metadata: why). `why` is one of these:
// - NOT_PLAYING, FIRST_TRICK or SEAT_HELD;
// - TRICK_COULD_BE_LOST, with the metadata `trick`: the number of the first trick without a proof.
absl::Status ClaimRefused(absl::string_view why, int trick = 0);
// Returns FAILED_PRECONDITION PROPOSAL_REFUSED (metadata: why). `why` is one of these:
// - NOT_AN_OPTION: the table does not allow such proposals;
// - MATCH_OVER;
// - PROPOSAL_OPEN or BREAK_RUNS;
// - SEAT_HELD: a bot holds the seat;
// - NO_CARD: no card of the seat can be taken back now, for instance because the next seat has
//   acted;
// - GAME_WENT_ON: the game has changed since the revision that the player has seen.
absl::Status ProposalRefused(absl::string_view why);
absl::Status ProposalsSpent();  // Returns RESOURCE_EXHAUSTED PROPOSALS_SPENT.
absl::Status NoProposal();      // Returns FAILED_PRECONDITION NO_PROPOSAL.
// Returns FAILED_PRECONDITION GAME_PAUSED (metadata: why). `why` is PROPOSAL_OPEN or BREAK_RUNS.
absl::Status GamePaused(absl::string_view why);
// Returns RESOURCE_EXHAUSTED TALK_LIMITED (metadata: why). `why` is PHRASE_TOO_SOON,
// PHRASES_OF_DEAL_SPENT or MUTES_OF_DEAL_SPENT.
absl::Status TalkLimited(absl::string_view why);
absl::Status TalkOver();        // Returns FAILED_PRECONDITION TALK_OVER: the match is over.
absl::Status DealNotRunning();  // Returns FAILED_PRECONDITION DEAL_NOT_RUNNING.
absl::Status MatchOver();       // Returns FAILED_PRECONDITION MATCH_OVER.
// Returns FAILED_PRECONDITION PLAYER_BUSY (metadata: table): the match of this table is not over.
absl::Status PlayerPlays(TableId table);

// Errors about the archive of finished matches.
absl::Status ArchiveAway();  // Returns UNAVAILABLE ARCHIVE_AWAY: a file cannot be read or written.
absl::Status ArchiveDamaged();  // Returns DATA_LOSS ARCHIVE_DAMAGED: the bytes are not a match.

// Errors of the process.

// Returns RESOURCE_EXHAUSTED RATE_LIMITED (metadata: retry_after_seconds): the service already runs
// the allowed number of reads of tables for this player, this address or this IPv6 /48.
absl::Status TooManyReads();
absl::Status Overloaded();    // Returns UNAVAILABLE OVERLOADED.
absl::Status StorageAway();   // Returns UNAVAILABLE STORAGE_AWAY: the database does not answer.
absl::Status ShuttingDown();  // Returns UNAVAILABLE SHUTTING_DOWN.

}  // namespace tarot::rules_service
