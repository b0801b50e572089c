// Reads and writes the view of one seat as TDN: `% VIEW B`, with `?` for hidden cards
// (docs/notation.md, "Views").
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/rules/view.h"

namespace tarot::notation {

// Writes the view of a seat that holds cards. The deal must not be over, and its dealer must have
// the last seat. Equal views give equal bytes.
std::string WriteTdnView(const rules::View& view);

// Returns the one view in `text`. Replays its public events by the rules, so phase, turn, partner
// and legal actions follow. Does not check whether some deal can lead to this view. The errors are
// those of ParseTdn.
absl::StatusOr<rules::View> ReadTdnView(absl::string_view text);

}  // namespace tarot::notation
