// TDN, Tarot Deal Notation: the text of docs/notation.md, read and written.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/notation/record.h"

namespace tarot::notation {

// The records of `text` as they stand, their claims not yet checked: for those who list what is
// true. Every error is INVALID_ARGUMENT BAD_REQUEST, "line N: what is wrong";
// its metadata has the line and the column, in characters from 1.
absl::StatusOr<std::vector<Document>> ParseTdn(absl::string_view text);

// The records of `text`, proven: every move is legal, every check digit, result and score follows,
// and the seed, where there is one, gives these cards. Errors as ParseTdn.
absl::StatusOr<std::vector<Record>> ReadTdn(absl::string_view text);

// The export format: equal records give equal bytes, and ReadTdn gives the record back. Several
// records are written one after another. Errors: INVALID_ARGUMENT BAD_REQUEST when the history is
// not legal, or a name cannot stand in a text (control characters, not UTF-8).
absl::StatusOr<std::string> WriteTdn(const Record& record);

}  // namespace tarot::notation
