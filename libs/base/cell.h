// A cell is a Postgres cluster with its replicas of rules. The id of a table names the cell of the
// table for life. Only an id of UUID version 8 names a cell: byte 7 is the cell's number, 1 to 255.
// All other ids, also those of the oldest tables, belong to cell 0.
#pragma once

#include "absl/time/time.h"
#include "libs/base/entropy.h"
#include "libs/base/ids.h"

namespace tarot {

inline constexpr int kCellMax = 255;

// Returns the cell of the table with this id.
int CellOf(const Uuid& table);

// Returns a new id for a table in `cell`, which is 0 to kCellMax. Like
// Entropy::NewTimeOrderedUuid(), the id begins with the milliseconds of `now`.
Uuid NewTableUuid(Entropy& entropy, absl::Time now, int cell);

}  // namespace tarot
