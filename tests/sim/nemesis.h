// Makes one random fault after another, and ends each fault after a while.
#pragma once

#include "tests/sim/cluster.h"

namespace tarot::sim {

class Nemesis {
 public:
  explicit Nemesis(Cluster& cluster) : cluster_(cluster) {}

  // Makes faults until Stop.
  void Start();
  // Repairs everything. From now on network and database have no faults.
  void Stop();

 private:
  void Strike();
  void StrikeServer();
  void Watch();  // Starts dead processes again, as a supervisor does.

  Cluster& cluster_;
  bool active_ = false;
};

}  // namespace tarot::sim
