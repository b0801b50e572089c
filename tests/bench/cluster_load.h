// Functions that all loads on a whole cluster share. They make tables, and read the CPU time of
// each process.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libs/rpc/auth.h"
#include "tests/e2e/cluster.h"

namespace tarot::bench {

// Returns an authenticator that signs calls as a service of `cluster`.
rpc::Authenticator ServiceIdentity(const e2e::Cluster& cluster, Clock& clock);

// Makes the table `name` (tables/{id}) under fft for four players. `players` are their resource
// names. Calls the rules service directly.
void CreateTable(const e2e::Cluster& cluster, const std::string& name,
                 const std::vector<std::string>& players);

// Seconds of CPU time used so far. The keys are the names of the cluster's processes, and also
// "postgres", "load generator" (this process) and "machine" (all processes of the machine
// together).
using Cpu = std::map<std::string, double>;
Cpu CpuOf(e2e::Cluster& cluster);

// Returns the seconds of CPU that a process has used so far.
double CpuSeconds(pid_t pid);

// Returns the CPU time used since `before`, in microseconds per move. The key "other" is the rest
// of the machine: the time of all processes without a key of their own.
Cpu CpuPerMove(e2e::Cluster& cluster, const Cpu& before, double moves);

}  // namespace tarot::bench
