// Declares the options of the admin service and the functions that start it. Through this service,
// operators run the platform. Each row of TAROT_ADMIN_OPTIONS becomes a field of Options and a flag
// of tarot-admin.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/rpc/cells.h"
#include "libs/rpc/options.h"
#include "libs/rpc/process.h"

#define TAROT_ADMIN_OPTIONS(OPTION)                                                              \
  OPTION(std::string, listen_address, "127.0.0.1:7107", Address(),                               \
         "Address of the gRPC server. Only operators should reach it: a loopback address or a "  \
         "Unix socket.")                                                                         \
  OPTION(std::string, metrics_address, "127.0.0.1:8107", Address(), "Address of /metrics.")      \
  OPTION(absl::Duration, lame_duck, absl::Seconds(5),                                            \
         Range(absl::ZeroDuration(), absl::Minutes(10)),                                         \
         "After SIGTERM, time for which everything is still accepted while readiness fails.")    \
  OPTION(std::string, operator_key_file, "", Path(),                                             \
         "Keys of the operators: lines of NAME:BASE64, mode 0600. NAME is the operator's name, " \
         "and only this operator has the key.")                                                  \
  TAROT_IDENTITY_OPTIONS(OPTION)                                                                 \
  OPTION(std::string, dsn, "", Dsn(), "Database of this service. Put secrets into a passfile.")  \
  OPTION(bool, migrate_only, false, Switch(),                                                    \
         "Only brings the schema to this version, and ends. The role of dsn must own it.")       \
  OPTION(std::string, rules_address, "127.0.0.1:7101", CellAddresses(), "The rules service.")    \
  OPTION(std::string, matchmaking_address, "127.0.0.1:7102", Addresses(),                        \
         "The matchmaking service.")                                                             \
  OPTION(std::string, ratings_address, "127.0.0.1:7104", Addresses(), "The ratings service.")    \
  OPTION(int, worker_threads, 4, Range(1, 1'024, "threads"),                                     \
         "Threads that answer calls. A recomputation of all ratings occupies one.")

namespace tarot::admin_service {

struct Options {
  TAROT_ADMIN_OPTIONS(TAROT_OPTION_FIELD)
};

// Applies the missing migrations. The role of options.dsn must own the schema.
absl::Status MigrateSchema(const Options& options);

// Returns a check that the database answers and that its schema is new enough, for rpc::RunService.
rpc::StartCheck CheckStart(const Options& options);

// Starts the service. CheckStart must have succeeded.
absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment);

}  // namespace tarot::admin_service
