// The parts that all loads on a whole cluster share: they make tables, and read the CPU time of
// each process.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libs/rpc/auth.h"
#include "tests/e2e/cluster.h"

namespace tarot::bench {

// Adds the identity of a service of `cluster` to a call.
rpc::Authenticator ServiceIdentity(const e2e::Cluster& cluster, Clock& clock);

// Makes tables/{id} for four `players` (names) under fft. Calls the rules service directly.
void CreateTable(const e2e::Cluster& cluster, const std::string& name,
                 const std::vector<std::string>& players);

// Seconds of CPU used so far: by each process of the cluster, by "postgres", by "load generator"
// (this process), and by "machine" (everything).
using Cpu = std::map<std::string, double>;
Cpu CpuOf(e2e::Cluster& cluster);

// Returns the seconds of CPU that a process has used so far.
double CpuSeconds(pid_t pid);

// Returns the CPU used since `before`, in microseconds per move; "other" is everything else on the
// machine.
Cpu CpuPerMove(e2e::Cluster& cluster, const Cpu& before, double moves);

}  // namespace tarot::bench
