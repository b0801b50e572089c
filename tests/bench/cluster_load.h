// What the loads on a whole cluster share: tables made at will, and CPU by process.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libs/rpc/auth.h"
#include "tests/e2e/cluster.h"

namespace tarot::bench {

// The identity of a service of `cluster`.
rpc::Authenticator ServiceIdentity(const e2e::Cluster& cluster, Clock& clock);

// Makes tables/{id} of four `players` (names) under fft, straight at the rules service.
void CreateTable(const e2e::Cluster& cluster, const std::string& name,
                 const std::vector<std::string>& players);

// Seconds of CPU used so far: by each process of the cluster, "postgres", "load generator" for this
// one, and "machine" for all that runs.
using Cpu = std::map<std::string, double>;
Cpu CpuOf(e2e::Cluster& cluster);

// What each has used since `before`, in microseconds a move; the machine's rest as "the rest".
Cpu CpuPerMove(e2e::Cluster& cluster, const Cpu& before, double moves);

}  // namespace tarot::bench
