// Waits in a queue until a table is made. Shows the place in the queue and the reason for the wait.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "tools/tarotctl/play/input.h"
#include "tools/tarotctl/session/context.h"

namespace tarot::tarotctl {

// Returns the table at which the player sits already, "tables/…", or "".
absl::StatusOr<std::string> FindOwnTable(Context& context);

// Joins `queue` ("queues/…"), or continues with an existing ticket, and waits. Returns the table.
// Returns CANCELLED after Ctrl-C; the ticket is cancelled then, unless the message says otherwise.
absl::StatusOr<std::string> WaitForTable(Context& context, Input& input, const std::string& queue);

}  // namespace tarot::tarotctl
