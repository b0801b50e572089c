// What hosting tables costs a replica of rules: the memory of tables that nobody touches, and the
// time until those of a dead replica are taken up. Real processes, Postgres with fsync.
#pragma once

namespace tarot::bench {

struct HostingOptions {
  int tables = 40'000;  // At two replicas: half of them at the one that dies.
  int moves = 30;       // In the log of each, after its deal: a fair half of a deal of four.
};

struct HostingResult {
  double recover_s = 0;  // From kill -9 of one of two replicas until the other has all its tables.
  double bytes_per_table = 0;  // Resident memory of a replica that has read them from their logs.
  double tables_read_per_s = 0;
};

HostingResult RunHostingLoad(const HostingOptions& options);

}  // namespace tarot::bench
