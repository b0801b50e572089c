// Durable moves through the gateway: the five services as processes, a real Postgres with fsync,
// and players who each see every change of their table by a watch stream.
#pragma once

#include <memory>

#include "tests/bench/cluster_load.h"

namespace tarot::bench {

struct GatewayResult {
  double moves_per_s = 0;
  double answer_p50_ms = 0, answer_p99_ms = 0;  // From send to answer.
  double watch_p99_ms = 0;                      // From send to the last of four watchers.
  Cpu cpu_us_per_move;
};

// Tables of four players under fft, one move in flight each at most.
class GatewayLoad {
 public:
  GatewayLoad(e2e::Cluster& cluster, int tables);
  ~GatewayLoad();

  // Moves are made as soon as they are due, or, with a rate, evenly at that many a second.
  GatewayResult Run(double seconds, double moves_per_s_max = 0);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tarot::bench
