// From what people type to resource names.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "tools/tarotctl/session/context.h"

namespace tarot::tarotctl {

// "tables/…" from a table's id, its resource name, or the first letters of the id of a table that
// ListTables shows; "" gives the newest live one. NOT_FOUND when there is none.
absl::StatusOr<std::string> ResolveTable(Context& context, const std::string& typed);

// "players/…" from "me", a player's id, its resource name, or a name on the ladder.
absl::StatusOr<std::string> ResolvePlayer(Context& context, const std::string& typed);

}  // namespace tarot::tarotctl
