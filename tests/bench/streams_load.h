// Memory of watch streams through one gateway: each player a connection and a stream of its own, as
// from the machines of people.
#pragma once

namespace tarot::bench {

struct StreamsResult {
  double bytes_per_stream = 0;   // Of the gateway's resident memory, all of it, with them open.
  double bytes_after_leave = 0;  // Resident in all when they have gone.
};

// Four players a table; every stream has shown the table's first deal.
StreamsResult RunStreamsLoad(int streams);

}  // namespace tarot::bench
