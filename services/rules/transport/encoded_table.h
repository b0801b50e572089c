// A table on the wire, encoded once a revision, however many see it: what all may see, and what
// each seat sees besides. Protobuf merges a message whose bytes follow one another, so a view is
// the bytes of both.
#pragma once

#include <grpcpp/grpcpp.h>

#include "services/rules/app/table_state.h"

namespace tarot::rules_service {

// The two parts; a copy of one shares its memory. Thread-safe.
const grpc::Slice& SharedPart(const TableState& state);
const grpc::Slice& OwnPart(const TableState& state, rules::Seat seat);

// The bytes of a response whose field 1 is the table as `viewer` (kNoSeat: a watcher) may see it:
// WatchTableResponse, SubmitActionResponse. They parse to what EncodeTable makes. Thread-safe; the
// answers share their memory.
grpc::ByteBuffer TableResponse(const TableState& state, rules::Seat viewer);

}  // namespace tarot::rules_service
