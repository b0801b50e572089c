// The attacks: each does its worst on one server until it is stopped.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "tests/hostile/raw_client.h"

namespace tarot::hostile {

struct Attack {
  std::string name;
  std::string text;  // Says what the attacker does.
  // Returns what was seen, if it must not be.
  std::string (*run)(const Target& target, const std::atomic<bool>& stopping);
  double honest_p99_max_ms = 100;
};

const std::vector<Attack>& Attacks();

}  // namespace tarot::hostile
