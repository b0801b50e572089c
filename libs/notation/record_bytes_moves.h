// The actions of a record as bits: the last part of its binary form (docs/notation.md).
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/notation/record.h"

namespace tarot::notation {

// Appends the entries of `record`, whose hands and dog are a pack. INVALID_ARGUMENT BAD_REQUEST for
// a card that its seat does not hold, or a seat that is none.
absl::Status PutMoves(const Record& record, std::string& out);

// Reads the entries of `record` from `bytes`, all of them; its hands and dog are a pack. What is
// wrong, or "".
std::string TakeMoves(absl::string_view bytes, Record& record);

}  // namespace tarot::notation
