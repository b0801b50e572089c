// Durable moves a second into one rules replica over gRPC, without watchers and without a gateway.
#pragma once

#include "tests/bench/cluster_load.h"

namespace tarot::bench {

enum class MovePath {
  kStream,  // As a gateway sends the moves of its players: its own class, one stream for all.
  kUnary,   // A call a move, as other callers do.
};

struct RulesResult {
  double moves_per_s = 0;
  Cpu cpu_us_per_move;
};

// `tables` new tables, one move in flight each, for `seconds`. The players are told their hands
// once a deal, and know from then on what is legal: no other calls are made.
RulesResult RunRulesLoad(e2e::Cluster& cluster, int tables, double seconds, MovePath path);

}  // namespace tarot::bench
