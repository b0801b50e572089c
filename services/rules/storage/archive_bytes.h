// Declares the functions that encode finished matches as bytes for the archive, and decode them.
// The bytes have what decides the game: the seeds and nonces of the deals, the actions, their
// authors, and the times when the deals ended. The cards follow from the seeds. The bytes have no
// names of players, because an operator can delete a name. The settings of a table stay in
// rules.tables and rules.table_seats.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// Returns the match of `stored` with a condensed log. This log has no phrases, mutes, proposals and
// cards that were taken back. It also has no times of single actions: each entry has the time when
// its deal ended. The match must be over. If the log is not one of a finished match, returns
// INTERNAL BUG or an error of the rules.
absl::StatusOr<StoredTable> CondenseMatch(const StoredTable& stored);

// Encodes a match that CondenseMatch() returned.
// A match consists of these parts:
// - the id of its table (16 bytes), the number of deals, and the deals;
// - an FNV-1a checksum of all bytes before it (4 bytes).
// A deal consists of these parts:
// - one byte with the procedure (bits 0 and 1) and the bits of archive_bytes.cc;
// - the microseconds since the previous deal ended or, for the first deal, since the table was
//   made;
// - if the start follows from the previous deal: the seed (64 bytes) and, if there are any nonces,
//   each seat's nonce after its length;
// - if the start does not follow from the previous deal: the length and dealing::EncodeDealStart();
// - the length and notation::EncodeMoves();
// - the number of actions whose author is not the expected one, and for each of these actions its
//   place and its author;
// - for a claim: the number of the actions before the claim, the seat, and the author;
// - for a cancelled deal: the length and the reason.
// Numbers are written with seven bits per byte, the low bits first.
absl::StatusOr<std::string> EncodeMatch(const StoredTable& condensed);

// Decodes the bytes of EncodeMatch(). `config` and `end` are the settings and the end of this
// match. If `bytes` are not a match of this table, returns DATA_LOSS ARCHIVE_DAMAGED.
absl::StatusOr<StoredTable> DecodeMatch(const TableConfig& config, const MatchEnd& end,
                                        absl::string_view bytes);

// Returns the deals of a match that is over, in the order of their numbers.
absl::StatusOr<std::vector<StoredDeal>> DealsOf(const StoredTable& match);

// Returns OK if two conditions are true: both matches have the same deals, as RecordService returns
// them, and the scores of the deals of `archived` add up to its stored end. If not, returns
// INTERNAL BUG with the difference.
absl::Status ProveArchived(const StoredTable& stored, const StoredTable& archived);

}  // namespace tarot::rules_service
