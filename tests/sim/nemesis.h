// Breaks one thing after the other, and puts it right after a while.
#pragma once

#include "tests/sim/cluster.h"

namespace tarot::sim {

class Nemesis {
 public:
  explicit Nemesis(Cluster& cluster) : cluster_(cluster) {}

  // From now on, until Stop.
  void Start();
  // Heals what is broken; the network and the database are good from now on.
  void Stop();

 private:
  void Strike();
  void StrikeServer();
  void Watch();  // Starts again what has died, as a supervisor does.

  Cluster& cluster_;
  bool active_ = false;
};

}  // namespace tarot::sim
