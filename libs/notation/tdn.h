// TDN, Tarot Deal Notation: the text of docs/notation.md, read and written.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/notation/record.h"

namespace tarot::notation {

// Returns the records of `text`, without checking them; Prove() does. Every error is
// INVALID_ARGUMENT BAD_REQUEST "line N: problem"; its metadata has the line and the column, in
// characters from 1.
absl::StatusOr<std::vector<Document>> ParseTdn(absl::string_view text);

// Returns the records of `text`, proven: every move is legal, winners, result and score follow from
// the moves, and the seed, if stated, gives these cards. Errors: as ParseTdn.
absl::StatusOr<std::vector<Record>> ReadTdn(absl::string_view text);

// Writes the canonical text: equal records give equal bytes, and ReadTdn gives the record back. A
// file of several records is their texts one after another. Errors: INVALID_ARGUMENT BAD_REQUEST
// when the history is not legal, or a text has control characters or invalid UTF-8.
absl::StatusOr<std::string> WriteTdn(const Record& record);

}  // namespace tarot::notation
