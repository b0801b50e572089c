// Every tunable of the bot service.
#pragma once

#include <string>

namespace tarot::bot_service {

struct Options {
  std::string listen_address = "127.0.0.1:7103";
  std::string internal_key_file;

  int worker_threads = 2;  // Decisions at a time: they do nothing but compute.
  int worker_queue_size_max = 256;
  // Analyses have a thread of their own, so that no table waits for them.
  int analysis_threads = 1;
  int analyses_max = 32;  // Under way at once; they take turns.
};

}  // namespace tarot::bot_service
