// Does to a cluster what a schedule says.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/chaos/place.h"
#include "tests/chaos/schedule.h"
#include "tests/e2e/cluster.h"
#include "tools/load/history.h"

namespace tarot::chaos {

class Faults {
 public:
  // `network` may be nullptr when the schedule has no fault of it.
  Faults(e2e::Cluster& cluster, Place& place, Network* network, load::HistoryWriter& history)
      : cluster_(cluster), place_(place), network_(network), history_(history) {}

  // Strikes and heals in this thread, each at its time from now on; returns when all is healed and
  // `schedule` is over, or in the middle of it when `stop` says so. Says on stderr what it does.
  void Run(const std::vector<Fault>& schedule, const std::function<bool()>& stop);

  // What went wrong besides: processes that did not stop when asked.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  void Begin(const Fault& fault);
  void End(const Fault& fault);
  void Tell(const Fault& fault, load::Event::Kind kind);
  void Term(const std::string& process);
  void TerminateBackends();
  void Isolate(const std::string& process, bool cut);

  e2e::Cluster& cluster_;
  Place& place_;
  Network* const network_;
  load::HistoryWriter& history_;
  std::vector<std::string> complaints_;
};

}  // namespace tarot::chaos
