// Encodes records as bytes, and makes archives of them. A deal takes about 110 bytes without names
// and seed. Every later version can read these bytes. The section "The binary form" of
// docs/notation.md describes the format.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/notation/record.h"

namespace tarot::notation {

// Encodes `record` with its outcome, card points, bouts and scores. Equal records give equal bytes.
// Returns INVALID_ARGUMENT BAD_REQUEST if the deal cannot start, if an entry is illegal, or if
// EncodeDocument() fails.
absl::StatusOr<std::string> EncodeRecord(const Record& record);

// Encodes `document` without checking it by the rules. Encodes only these claims: outcome, card
// points, bouts and scores. Returns INVALID_ARGUMENT BAD_REQUEST if
// - the hands and the dog do not hold every card once;
// - a seat plays a card that it does not hold;
// - a seat number or the number of players is out of range;
// - the record has more than 255 entries.
absl::StatusOr<std::string> EncodeDocument(const Document& document);

// Decodes the bytes of EncodeRecord() or EncodeDocument(), without checking moves and claims. For
// any other bytes, returns INVALID_ARGUMENT BAD_REQUEST with field "record" and the problem.
absl::StatusOr<Document> DecodeRecord(absl::string_view bytes);

// Encodes only the actions of `record`, for callers that know its players, hands and dog. Returns
// the errors of EncodeDocument().
absl::StatusOr<std::string> EncodeMoves(const Record& record);

// Decodes the bytes of EncodeMoves(). Reads the players, the hands and the dog of `record`, and
// replaces its entries. For any other bytes, returns BAD_REQUEST as DecodeRecord() does, and leaves
// undefined entries in `record`.
absl::Status DecodeMoves(absl::string_view bytes, Record& record);

// An archive begins with kArchiveMagic. Then the records follow. The length of each record stands
// before the record.
inline constexpr char kArchiveMagic[] = "tarotrec1\n";

// Returns whether `bytes` begin like an archive.
bool IsArchive(absl::string_view bytes);
// Appends the bytes of one record to `archive`. If `archive` is empty, begins it with
// kArchiveMagic.
void AppendToArchive(absl::string_view record, std::string& archive);

// Returns the bytes of each record of an archive. The results point into `archive`. Returns
// BAD_REQUEST if `archive` is not an archive, or is cut short.
absl::StatusOr<std::vector<absl::string_view>> SplitArchive(absl::string_view archive);

}  // namespace tarot::notation
