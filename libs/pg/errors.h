// Turns libpqxx's exceptions into Status.
#pragma once

#include "absl/status/status.h"

namespace tarot::pg {

// Turns the current libpqxx exception into a Status; no other function does this. Call it inside
// `catch (...)`. Lost connections, unknown commits, a full or read-only database give UNAVAILABLE
// STORAGE_AWAY. Serialization failures and deadlocks give ABORTED. Unique violations give
// ALREADY_EXISTS. Timeouts of a statement give DEADLINE_EXCEEDED. All others give INTERNAL BUG. The
// message contains no value of a row.
absl::Status StatusFromCurrentException();

}  // namespace tarot::pg
