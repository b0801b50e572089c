// Every tunable of a load.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace tarot::load {

struct Options {
  // host:port. All of them so many times, each time by another road; player n has road n % roads.
  std::vector<std::string> gateways;
  int roads = 1;
  int tables = 20;  // At once; each begins anew when its match is over.

  // Players queue here, as people do. Empty: tables are made at `rules`, as matchmaking does.
  std::string queue;
  std::vector<std::string> rules;  // host:port
  std::string internal_key_file;
  int bots = 0;        // Seats of each table made at `rules` that a bot plays.
  int deal_count = 1;  // Of such a table.
  // Such tables seat three, four and five, by several rule sets; otherwise all are fft's for four.
  bool varied = false;

  absl::Duration think = absl::Milliseconds(200);  // On average, before each action.
  double drop_rate = 0.02;  // Of calls and of views: the connection is lost just then.
  std::uint64_t seed = 1;
};

}  // namespace tarot::load
