// The attacks of the tests on one server. Each attack runs until it is stopped.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "tests/hostile/raw_client.h"

namespace tarot::hostile {

struct Attack {
  std::string name;
  std::string text;  // Says what the attacker does.
  // Attacks until `stopping` is true. Returns the fault of the server that the attacker saw, or an
  // empty text.
  std::string (*run)(const Target& target, const std::atomic<bool>& stopping);
  double honest_p99_max_ms = 100;
  // To find the tables that calls name, the rules service may run at most this number of statements
  // per second.
  double lookups_per_s_max = 1'000;
  // True if the attack opens watches. Then the lost watches of honest players cannot be counted.
  bool watches = false;
};

const std::vector<Attack>& Attacks();

}  // namespace tarot::hostile
