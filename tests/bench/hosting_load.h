// Measures the cost of hosting tables: the memory of idle tables, and the time until another
// replica has acquired the tables of a dead replica. It uses real processes, and Postgres with
// fsync.
#pragma once

namespace tarot::bench {

struct HostingOptions {
  // Number of tables. Two replicas host about half of the tables each. Then one of these replicas
  // dies.
  int tables = 40'000;
  // Number of moves in each log after the start of the deal: about half of a deal of four players.
  int moves = 30;
};

struct HostingResult {
  // The time from kill -9 of one replica until the other replica has all its tables.
  double recover_s = 0;
  // The resident memory per table of a replica that has read all its tables from their logs.
  double bytes_per_table = 0;
  double tables_read_per_s = 0;
};

HostingResult RunHostingLoad(const HostingOptions& options);

}  // namespace tarot::bench
