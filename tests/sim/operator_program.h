// A program that cancels deals, as an operator does by `tarotctl admin void-deal`. It repeats a
// request with the same id until the answer is certain.
#pragma once

#include "tests/sim/cluster.h"

namespace tarot::sim {

class OperatorProgram {
 public:
  OperatorProgram(Life& life, Cluster& cluster) : life_(life), cluster_(cluster) {}

  // Cancels a random deal in play, if there is one. Sometimes names the previous deal of the table
  // instead, which the service must refuse.
  void CancelADeal();

 private:
  void Insist(const Intent& intent);

  Life& life_;
  Cluster& cluster_;
};

}  // namespace tarot::sim
