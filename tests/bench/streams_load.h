// Measures the memory of watch streams at one gateway. Each player has its own connection and
// stream, like people on their own machines.
#pragma once

namespace tarot::bench {

struct StreamsResult {
  double bytes_per_stream = 0;   // All resident memory of the gateway, per open stream.
  double bytes_after_leave = 0;  // Resident memory after all have left.
};

// Four players per table. Waits until every stream has shown the table's first deal.
StreamsResult RunStreamsLoad(int streams);

}  // namespace tarot::bench
