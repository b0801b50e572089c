// How many tables the rules replicas have taken up from one another.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/e2e/cluster.h"

namespace tarot::chaos {

class Takeovers {
 public:
  explicit Takeovers(const e2e::Cluster& cluster) : cluster_(cluster) {}

  // Reads the counters of those that answer within a second. What one counted after the last look
  // and before it was killed is lost: the sum is a lower bound.
  void Look();
  long sum() const { return sum_; }

 private:
  const e2e::Cluster& cluster_;
  std::map<std::string, long> seen_;  // By process; a counter that went back has begun anew.
  long sum_ = 0;
};

}  // namespace tarot::chaos
