// Counts the tables that replicas of rules acquire.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/e2e/cluster.h"

namespace tarot::chaos {

class Takeovers {
 public:
  explicit Takeovers(const e2e::Cluster& cluster) : cluster_(cluster) {}

  // Reads the counters of the replicas that answer within a second. A killed replica's counts since
  // the last call are lost, so the sum is a lower bound.
  void Look();
  long sum() const { return sum_; }

 private:
  const e2e::Cluster& cluster_;
  // The last counter of each process. If a new counter is smaller than the last counter, the
  // process has started again.
  std::map<std::string, long> seen_;
  long sum_ = 0;
};

}  // namespace tarot::chaos
