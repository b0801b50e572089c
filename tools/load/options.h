// Every tunable of a load.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace tarot::load {

struct Options {
  // host:port of every gateway, `roads` times: each time through another network path (road).
  // Player n uses road n % roads.
  std::vector<std::string> gateways;
  int roads = 1;
  int tables = 20;  // At once. After a match, its players start another one.

  // The queue that players join. Empty: the load makes tables at `rules`, as matchmaking does.
  std::string queue;
  std::vector<std::string> rules;  // host:port
  std::string internal_key_file;
  int bots = 0;        // Bot seats of each table that the load makes.
  int deal_count = 1;  // Deals of each such table.
  // Such tables have three, four and five seats and several rule sets; otherwise four seats and
  // fft.
  bool varied = false;

  absl::Duration think = absl::Milliseconds(200);  // On average, before each action.
  double drop_rate = 0.02;  // Share of calls and views at which the connection is lost.
  std::uint64_t seed = 1;
};

}  // namespace tarot::load
