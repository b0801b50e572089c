// Applies the faults of a schedule to a cluster.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/chaos/faulty_surroundings.h"
#include "tests/chaos/schedule.h"
#include "tests/e2e/cluster.h"
#include "tools/load/history.h"

namespace tarot::chaos {

class Faults {
 public:
  // `network` may be nullptr if the schedule has no network faults.
  Faults(e2e::Cluster& cluster, FaultySurroundings& surroundings, Network* network,
         load::HistoryWriter& history)
      : cluster_(cluster), surroundings_(surroundings), network_(network), history_(history) {}

  // Begins and ends each fault in this thread. The times of a fault count from the call. Prints
  // each beginning and end on stderr and writes it to the history. Returns when `schedule` is over,
  // or earlier if `stop` returns true.
  void Run(const std::vector<Fault>& schedule, const std::function<bool()>& stop);

  // One text for each process that did not stop after SIGTERM, or that stopped with an error.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  void Begin(const Fault& fault);
  void End(const Fault& fault);
  void Tell(const Fault& fault, load::Event::Kind kind);
  void Term(const std::string& process);
  void TerminateBackends();
  void Isolate(const std::string& process, bool cut);

  e2e::Cluster& cluster_;
  FaultySurroundings& surroundings_;
  Network* const network_;
  load::HistoryWriter& history_;
  std::vector<std::string> complaints_;
};

}  // namespace tarot::chaos
