// Reads and writes TDN (Tarot Deal Notation), a text form for records of deals and for the view of
// one seat. docs/notation.md defines TDN.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/notation/record.h"
#include "libs/rules/view.h"

namespace tarot::notation {

// Returns the records of `text` without checking them; Prove() checks them. Every error is
// INVALID_ARGUMENT BAD_REQUEST "line N: problem". Its metadata has the line and the column; the
// column counts characters from 1.
absl::StatusOr<std::vector<Document>> ParseTdn(absl::string_view text);

// Returns the records of `text` and proves them. Every move must be legal. Winners, result and
// score must follow from the moves. If the text has a seed, the cards must follow from it. The
// errors are those of ParseTdn.
absl::StatusOr<std::vector<Record>> ReadTdn(absl::string_view text);

// Writes the canonical text. Equal records give equal bytes, and ReadTdn gives the record back. To
// write several records into a file, write their texts one after another. Returns INVALID_ARGUMENT
// BAD_REQUEST if the history is not legal, if a text has control characters or invalid UTF-8, or if
// members of `record` contradict each other.
absl::StatusOr<std::string> WriteTdn(const Record& record);

// Writes a view, with `?` for hidden cards. `view` must come from rules::RememberedView(), and its
// viewer must hold cards. The deal of the view must be running, and its dealer must be the last
// seat. Equal views give equal bytes.
std::string WriteTdnView(const rules::View& view);

// Returns the view in `text`, which must hold exactly one view. The function replays the public
// events of the view by the rules. The replay gives the phase, the seat in turn, the partner and
// the legal actions. The function does not check whether some deal can lead to this view. The
// errors are those of ParseTdn.
absl::StatusOr<rules::View> ReadTdnView(absl::string_view text);

}  // namespace tarot::notation
