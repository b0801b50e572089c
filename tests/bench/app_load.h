// Durable moves a second of the rules service's application layer on a real Postgres with fsync: no
// network, no views for watchers.
#pragma once

namespace tarot::bench {

struct AppLoadOptions {
  int tables = 512;  // In play at once, one move in flight each.
  double seconds = 3;
  int connections = 2;
  int threads = 4;
  int batch_rows_max = 256;  // 1 commits each move alone.
};

struct AppLoadResult {
  double moves_per_s = 0;
  double rows_per_batch = 0;
  double cpu_us_per_move = 0;  // Of this process, without Postgres.
};

// Each on tables of its own in a database of its own.
AppLoadResult RunAppLoad(const AppLoadOptions& options);

}  // namespace tarot::bench
