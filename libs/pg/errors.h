// Turns libpqxx's exceptions into Status.
#pragma once

#include "absl/status/status.h"

namespace tarot::pg {

// The only place where a libpqxx exception becomes a Status. Call inside `catch (...)`.
// Lost connections, unknown commits, a full or read-only database: UNAVAILABLE STORAGE_AWAY.
// Serialization failures and deadlocks: ABORTED. Unique violations: ALREADY_EXISTS. Timeouts of a
// statement: DEADLINE_EXCEEDED. All others: INTERNAL BUG. The message contains no value of a row.
absl::Status StatusFromCurrentException();

}  // namespace tarot::pg
