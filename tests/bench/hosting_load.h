// Measures the cost of hosting tables: the memory of idle tables, and the time until another
// replica has acquired the tables of a dead one. Real processes, Postgres with fsync.
#pragma once

namespace tarot::bench {

struct HostingOptions {
  int tables = 40'000;  // At two replicas; half of them at the replica that dies.
  int moves = 30;       // In each log after its deal: about half of a deal of four.
};

struct HostingResult {
  double recover_s = 0;        // From kill -9 of one replica until the other has all its tables.
  double bytes_per_table = 0;  // Resident memory of a replica that read them from their logs.
  double tables_read_per_s = 0;
};

HostingResult RunHostingLoad(const HostingOptions& options);

}  // namespace tarot::bench
