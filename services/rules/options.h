// Every tunable of the rules service.
#pragma once

#include <string>

#include "absl/time/time.h"

namespace tarot::rules_service {

struct Options {
  std::string listen_address = "127.0.0.1:7101";
  std::string advertise_address;  // How others reach this replica; empty: the listen address.
  std::string internal_key_file;
  std::string dsn;
  std::string bot_address = "127.0.0.1:7103";
  std::string ratings_address = "127.0.0.1:7104";
  std::string matchmaking_address = "127.0.0.1:7102";

  int worker_threads = 8;  // Each may hold one connection to Postgres.
  int worker_queue_size_max = 4096;
  int append_connections = 2;  // Statements that store actions, at once; each stores many.
  int append_threads = 4;      // Run those statements, and tell their outcomes.
  int append_batch_rows_max = 256;
  // How long an action waits at most for the running statement before a second one is begun.
  absl::Duration append_company_wait_max = absl::Milliseconds(2);
  int tables_open_max = 200'000;

  absl::Duration bot_delay = absl::Milliseconds(600);  // So that people can follow.
  // At a table of bots alone nobody has to follow; its deals come ten such delays apart.
  absl::Duration bots_only_delay = absl::Milliseconds(60);
  absl::Duration bot_timeout = absl::Seconds(2);  // Then a rule of thumb decides.
  absl::Duration deal_pause = absl::Seconds(4);   // To read the score before the next deal.
  absl::Duration outbox_interval = absl::Milliseconds(500);
  absl::Duration forget_finished_after = absl::Minutes(2);
};

}  // namespace tarot::rules_service
