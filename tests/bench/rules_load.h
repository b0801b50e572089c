// Measures durable moves per second into one rules replica over gRPC, without watchers or gateway.
#pragma once

#include "tests/bench/cluster_load.h"

namespace tarot::bench {

enum class MovePath {
  kStream,  // All moves use one stream. The gateway's class MoveClient sends them.
  kUnary,   // Each move is a unary call.
};

struct RulesResult {
  double moves_per_s = 0;
  Cpu cpu_us_per_move;
};

// Plays `tables` new tables for `seconds`, with one move in flight each. Players read their hands
// once per deal and then know the legal cards, so they make no other calls.
RulesResult RunRulesLoad(e2e::Cluster& cluster, int tables, double seconds, MovePath path);

}  // namespace tarot::bench
