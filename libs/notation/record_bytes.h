// Records as bytes, and archives of them: about 120 bytes a deal, readable for ever. The layout is
// in docs/notation.md, "The binary form".
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/notation/record.h"

namespace tarot::notation {

// `record` with its outcome, card points, bouts and scores. Equal records give equal bytes. Errors:
// INVALID_ARGUMENT BAD_REQUEST when the history is not legal.
absl::StatusOr<std::string> EncodeRecord(const Record& record);

// `document` without checking it by the rules. Keeps these claims: outcome, card points, bouts and
// scores. INVALID_ARGUMENT BAD_REQUEST when the form cannot hold it: hands and dog that do not hold
// every card once, a played card that the seat does not hold, or a seat number out of range.
absl::StatusOr<std::string> EncodeDocument(const Document& document);

// Decodes what EncodeRecord() or EncodeDocument() made, without checking moves and claims. Any
// other bytes: INVALID_ARGUMENT BAD_REQUEST, field "record", with the problem.
absl::StatusOr<Document> DecodeRecord(absl::string_view bytes);

// An archive is kArchiveMagic, then each record with its length before it.
inline constexpr char kArchiveMagic[] = "tarotrec1\n";

// Returns whether `bytes` begin as an archive.
bool IsArchive(absl::string_view bytes);
// Appends the bytes of one record; starts the archive if it is empty.
void AppendToArchive(absl::string_view record, std::string& archive);

// Returns the bytes of each record of an archive; they point into `archive`. BAD_REQUEST when it is
// not an archive, or is cut short.
absl::StatusOr<std::vector<absl::string_view>> SplitArchive(absl::string_view archive);

}  // namespace tarot::notation
