// Measures the memory of watch streams at one gateway. Each player has a connection and a stream of
// its own, as people at their own machines have.
#pragma once

namespace tarot::bench {

struct StreamsResult {
  // All resident memory of the gateway, divided by the number of open streams.
  double bytes_per_stream = 0;
  double bytes_after_leave = 0;  // Resident memory after all players have left.
};

// Opens the streams, with four players per table. Waits until every stream has shown the table's
// first deal.
StreamsResult RunStreamsLoad(int streams);

}  // namespace tarot::bench
