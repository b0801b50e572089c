// Encodes finished matches as bytes for the archive, and decodes them. The bytes have what decides
// the game: the seeds and nonces of the deals, the actions, their authors, and the times when the
// deals ended. The cards follow from the seeds. The bytes have no names of players, because an
// operator can delete a name; the settings of a table stay in rules.tables and rules.table_seats.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// Returns the match of `stored` with a condensed log: without phrases, mutes, proposals and cards
// that were taken back, and without the times of single actions. Each entry has the time when its
// deal ended. The match must be over. Returns INTERNAL BUG, or an error of the rules, if the log is
// not one of a finished match.
absl::StatusOr<StoredTable> CondenseMatch(const StoredTable& stored);

// Encodes a match that CondenseMatch() returned. A match consists of
// - the id of its table (16 bytes), the number of deals, the deals, and an FNV-1a checksum of all
//   bytes before it (4 bytes).
// A deal consists of
// - a byte with the procedure (bits 0 and 1) and the bits of archive_bytes.cc;
// - the microseconds since the deal before ended, or since the table was made;
// - the seed (64 bytes) and, if there are any, each seat's nonce after its length; or, if the start
//   of the deal does not follow from the deal before, the length and dealing::EncodeDealStart();
// - the length and notation::EncodeMoves();
// - the number of actions whose author is not the expected one, and for each its place and author;
// - for a claim, the number of the actions before it, the seat, and the author;
// - for a cancelled deal, the length and the reason.
// Numbers are written with seven bits per byte, the low ones first.
absl::StatusOr<std::string> EncodeMatch(const StoredTable& condensed);

// Decodes the bytes of EncodeMatch(). `config` and `end` are the settings and the end of this
// match. Returns DATA_LOSS ARCHIVE_DAMAGED for any other bytes.
absl::StatusOr<StoredTable> DecodeMatch(const TableConfig& config, const MatchEnd& end,
                                        absl::string_view bytes);

// Returns the deals of a match that is over, in the order of their numbers.
absl::StatusOr<std::vector<StoredDeal>> DealsOf(const StoredTable& match);

// Returns OK if both matches have the same deals, as RecordService returns them, and if the deals
// of `archived` sum to its stored end. Otherwise returns INTERNAL BUG with the difference.
absl::Status ProveArchived(const StoredTable& stored, const StoredTable& archived);

}  // namespace tarot::rules_service
