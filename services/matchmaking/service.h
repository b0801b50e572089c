// Declares the matchmaking service, which brings players together at tables. Each row of the table
// TAROT_MATCHMAKING_OPTIONS becomes a field of Options and a flag of tarot-matchmaking.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/rpc/cells.h"
#include "libs/rpc/options.h"
#include "libs/rpc/process.h"

#define TAROT_MATCHMAKING_OPTIONS(OPTION)                                                         \
  OPTION(std::string, listen_address, "127.0.0.1:7102", Address(), "Address of the gRPC server.") \
  OPTION(std::string, advertise_address, "", AddressOrEmpty(),                                    \
         "Address that distinguishes this replica from the others; listen_address if empty.")     \
  OPTION(std::string, metrics_address, "127.0.0.1:8102", Address(), "Address of /metrics.")       \
  OPTION(absl::Duration, lame_duck, absl::Seconds(5),                                             \
         Range(absl::ZeroDuration(), absl::Minutes(10)),                                          \
         "After SIGTERM, time for which everything is still accepted while readiness fails.")     \
  TAROT_IDENTITY_OPTIONS(OPTION)                                                                  \
  OPTION(std::string, dsn, "", Dsn(), "Database of this service. Put secrets into a passfile.")   \
  OPTION(bool, migrate_only, false, Switch(),                                                     \
         "Only brings the schema to this version, and ends. The role of dsn must own it.")        \
  OPTION(std::string, rules_address, "127.0.0.1:7101", CellAddresses(),                           \
         "The rules service, which hosts the tables.")                                            \
  OPTION(std::string, ratings_address, "127.0.0.1:7104", Addresses(),                             \
         "The ratings service, which knows the strength of players.")                             \
  OPTION(int, population, 0, Range(0, 10'000, "bots"),                                            \
         "Bots of the roster that queue for ranked matches by themselves.")                       \
  OPTION(int, worker_threads, 8, Range(1, 1'024, "threads"),                                      \
         "Threads that answer calls. Each may hold one connection to Postgres.")

namespace tarot::matchmaking_service {

struct Options {
  TAROT_MATCHMAKING_OPTIONS(TAROT_OPTION_FIELD)
};

// Applies the missing migrations. The role of options.dsn must own the schema.
absl::Status MigrateSchema(const Options& options);

// Returns a check that the database answers and that its schema is new enough, for rpc::RunService.
rpc::StartCheck CheckStart(const Options& options);

// Starts the service. CheckStart must have succeeded. The other services may start later.
absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment);

}  // namespace tarot::matchmaking_service
