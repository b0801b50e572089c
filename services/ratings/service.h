// Declares the ratings service, which rates finished matches and shows the ladder. Each row of the
// table TAROT_RATINGS_OPTIONS becomes a field of Options and a flag of tarot-ratings.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/rpc/options.h"
#include "libs/rpc/process.h"

#define TAROT_RATINGS_OPTIONS(OPTION)                                                             \
  OPTION(std::string, listen_address, "127.0.0.1:7104", Address(), "Address of the gRPC server.") \
  OPTION(std::string, metrics_address, "127.0.0.1:8104", Address(), "Address of /metrics.")       \
  OPTION(absl::Duration, lame_duck, absl::Seconds(5),                                             \
         Range(absl::ZeroDuration(), absl::Minutes(10)),                                          \
         "After SIGTERM, time for which everything is still accepted while readiness fails.")     \
  TAROT_IDENTITY_OPTIONS(OPTION)                                                                  \
  OPTION(std::string, dsn, "", Dsn(), "Database of this service. Put secrets into a passfile.")   \
  OPTION(bool, migrate_only, false, Switch(),                                                     \
         "Only brings the schema to this version, and ends. The role of dsn must own it.")        \
  OPTION(int, worker_threads, 4, Range(1, 1'024, "threads"),                                      \
         "Threads that answer calls. Each may hold one connection to Postgres.")                  \
  OPTION(double, place_deviation_max, 230, Range(1.0, 299.0, "rating points"),                    \
         "Highest uncertainty of a rating that has a place on the leaderboard; new players have " \
         "300.")

namespace tarot::ratings_service {

struct Options {
  TAROT_RATINGS_OPTIONS(TAROT_OPTION_FIELD)
};

// Applies the missing migrations. The role of options.dsn must own the schema.
absl::Status MigrateSchema(const Options& options);

// Returns a check that the database answers and that its schema is new enough, for rpc::RunService.
rpc::StartCheck CheckStart(const Options& options);

// Starts the service. CheckStart must have succeeded.
absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment);

}  // namespace tarot::ratings_service
