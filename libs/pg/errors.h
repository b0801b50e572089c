// The border between libpqxx's exceptions and Status.
#pragma once

#include "absl/status/status.h"

namespace tarot::pg {

// The only place where a libpqxx exception becomes a Status. Call inside `catch (...)`.
// Lost connections, commits in doubt, a full or read-only database: UNAVAILABLE STORAGE_AWAY.
// Serialization failures and deadlocks: ABORTED. Unique violations: ALREADY_EXISTS. Timeouts of a
// statement: DEADLINE_EXCEEDED. Anything else: INTERNAL BUG. No text of a row reaches the message.
absl::Status StatusFromCurrentException();

}  // namespace tarot::pg
