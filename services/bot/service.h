// Declares the options of the bot service and the function that starts it. The service decides for
// the seats of bots, and analyzes deals. Each row of TAROT_BOT_OPTIONS becomes a field of Options
// and a flag of tarot-bot.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/rpc/cells.h"
#include "libs/rpc/options.h"
#include "libs/rpc/process.h"

#define TAROT_BOT_OPTIONS(OPTION)                                                                 \
  OPTION(std::string, listen_address, "127.0.0.1:7103", Address(), "Address of the gRPC server.") \
  OPTION(std::string, metrics_address, "127.0.0.1:8103", Address(), "Address of /metrics.")       \
  OPTION(absl::Duration, lame_duck, absl::Seconds(5),                                             \
         Range(absl::ZeroDuration(), absl::Minutes(10)),                                          \
         "After SIGTERM, time for which everything is still accepted while readiness fails.")     \
  TAROT_IDENTITY_OPTIONS(OPTION)                                                                  \
  OPTION(std::string, rules_address, "127.0.0.1:7101", CellAddresses(),                           \
         "Replicas of rules, which has the finished deals and knows the players at live tables.") \
  OPTION(int, worker_threads, 2, Range(1, 1'024, "threads"),                                      \
         "Number of decisions computed at the same time. Each one keeps a CPU core busy.")

namespace tarot::bot_service {

struct Options {
  TAROT_BOT_OPTIONS(TAROT_OPTION_FIELD)
};

// Starts the service. Analyses need the rules service, which may start later.
absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment);

}  // namespace tarot::bot_service
