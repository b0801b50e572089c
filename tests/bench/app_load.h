// Measures how many durable moves per second the application layer of the rules service makes. It
// uses a real Postgres with fsync. No network and no watchers take part.
#pragma once

namespace tarot::bench {

struct AppLoadOptions {
  int tables = 512;  // Number of tables in play at a time. Each table has one move in flight.
  double seconds = 3;
  int connections = 2;
  int threads = 4;
  int batch_rows_max = 256;  // The largest number of moves in one commit.
};

struct AppLoadResult {
  double moves_per_s = 0;
  double rows_per_batch = 0;
  double cpu_us_per_move = 0;  // CPU time of this process, without Postgres.
};

// Runs the load. Each call uses tables of its own in a database of its own.
AppLoadResult RunAppLoad(const AppLoadOptions& options);

}  // namespace tarot::bench
