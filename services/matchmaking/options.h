// Every tunable of the matchmaking service.
#pragma once

#include <string>

namespace tarot::matchmaking_service {

struct Options {
  std::string listen_address = "127.0.0.1:7102";
  std::string advertise_address;  // Tells replicas apart; empty: the address it listens on.
  std::string internal_key_file;
  std::string dsn;
  std::string rules_address = "127.0.0.1:7101";  // Each may be a list: see rpc::MakeChannel.
  std::string ratings_address = "127.0.0.1:7104";

  int population_size = 0;  // Bots of the roster that queue for ranked matches by themselves.
  int worker_threads = 8;   // Each may hold one connection to Postgres.
  int worker_queue_size_max = 4096;
};

}  // namespace tarot::matchmaking_service
