// Measures durable moves per second of the application layer of rules on a real Postgres with
// fsync, without network and without views for watchers.
#pragma once

namespace tarot::bench {

struct AppLoadOptions {
  int tables = 512;  // In play at a time, one move in flight each.
  double seconds = 3;
  int connections = 2;
  int threads = 4;
  int batch_rows_max = 256;  // 1 commits each move alone.
};

struct AppLoadResult {
  double moves_per_s = 0;
  double rows_per_batch = 0;
  double cpu_us_per_move = 0;  // CPU of this process, without Postgres.
};

// Each call uses its own tables in its own database.
AppLoadResult RunAppLoad(const AppLoadOptions& options);

}  // namespace tarot::bench
