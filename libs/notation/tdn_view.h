// What one seat may know of a deal as TDN: `% VIEW B`, with `?` for what it may not
// (docs/notation.md, "Views").
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/rules/view.h"

namespace tarot::notation {

// `view` is that of a seat that holds cards, in a deal that is not over and whose dealer is the
// last seat. Equal views give equal bytes.
std::string WriteTdnView(const rules::View& view);

// The one view in `text`. Whatever of it is public is replayed by the rules, so that phase, turn,
// partner and legal actions follow. Whether some deal looks so is not asked. Every error is
// INVALID_ARGUMENT BAD_REQUEST, "line N: what is wrong", as of ParseTdn.
absl::StatusOr<rules::View> ReadTdnView(absl::string_view text);

}  // namespace tarot::notation
