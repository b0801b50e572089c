// Every tunable of the ratings service.
#pragma once

#include <string>

namespace tarot::ratings_service {

struct Options {
  std::string listen_address = "127.0.0.1:7104";
  std::string internal_key_file;
  std::string dsn;

  int worker_threads = 4;  // Each may hold one connection to Postgres.
  int worker_queue_size_max = 1024;

  // A place on the leaderboard needs a shown deviation of at most this; below the prior's 300.
  double place_deviation_max = 230;
};

}  // namespace tarot::ratings_service
