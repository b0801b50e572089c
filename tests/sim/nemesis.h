// Chooses faults: breaks one thing after another, and repairs each after a while.
#pragma once

#include "tests/sim/cluster.h"

namespace tarot::sim {

class Nemesis {
 public:
  explicit Nemesis(Cluster& cluster) : cluster_(cluster) {}

  // Strikes until Stop.
  void Start();
  // Repairs everything; network and database have no faults from now on.
  void Stop();

 private:
  void Strike();
  void StrikeServer();
  void Watch();  // Starts dead processes again, as a supervisor does.

  Cluster& cluster_;
  bool active_ = false;
};

}  // namespace tarot::sim
