// Declares the rules service, which hosts tables in play, stores finished deals and offers
// RefereeService. Each row of the table TAROT_RULES_OPTIONS becomes a field of Options and a flag
// of tarot-rules.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/rpc/cells.h"
#include "libs/rpc/options.h"
#include "libs/rpc/process.h"

#define TAROT_RULES_OPTIONS(OPTION)                                                               \
  OPTION(std::string, listen_address, "127.0.0.1:7101", Address(), "Address of the gRPC server.") \
  OPTION(std::string, advertise_address, "", AddressOrEmpty(),                                    \
         "Address for gateways and other replicas; listen_address if empty.")                     \
  OPTION(std::string, metrics_address, "127.0.0.1:8101", Address(), "Address of /metrics.")       \
  OPTION(absl::Duration, lame_duck, absl::Seconds(5),                                             \
         Range(absl::ZeroDuration(), absl::Minutes(10)),                                          \
         "After SIGTERM, time for which everything is still accepted while readiness fails.")     \
  TAROT_IDENTITY_OPTIONS(OPTION)                                                                  \
  OPTION(std::string, seed_key_file, "", Path(),                                                  \
         "Keys that encrypt the secrets of running deals in the database, in the same form. A "   \
         "backup of the database must not contain this file.")                                    \
  OPTION(std::string, dsn, "", Dsn(), "Database of this service. Put secrets into a passfile.")   \
  OPTION(bool, migrate_only, false, Switch(),                                                     \
         "Only brings the schema to this version, gives a database without tables to the cell, "  \
         "and ends. The role of dsn must own the schema.")                                        \
  OPTION(std::string, bot_address, "127.0.0.1:7103", Addresses(),                                 \
         "The bot service, which decides for the seats of bots.")                                 \
  OPTION(std::string, ratings_address, "127.0.0.1:7104", Addresses(),                             \
         "The ratings service, which gets the results of ranked matches.")                        \
  OPTION(std::string, matchmaking_address, "127.0.0.1:7102", Addresses(),                         \
         "The matchmaking service, which closes the tickets of finished matches.")                \
  OPTION(int, cell, 0, Range(0, 255, "(the number of a cell)"),                                   \
         "Cell of this replica. The replicas of a cell share a database, and make only tables "   \
         "whose id names this cell.")                                                             \
  OPTION(std::string, cells, "127.0.0.1:7101", CellAddresses(),                                   \
         "Replicas of rules of all cells, also of the cell of this replica. For a list, this "    \
         "replica asks one replica of each cell.")                                                \
  OPTION(int, worker_threads, 8, Range(1, 1'024, "threads"),                                      \
         "Threads that answer calls and load tables. Each may hold one connection to Postgres.")  \
  OPTION(int, append_connections, 2, Range(1, 64, "connections"),                                 \
         "Statements that store log entries at the same time. Each stores many entries.")         \
  OPTION(int, append_batch_rows_max, 256, Range(1, 10'000, "rows"),                               \
         "Log entries that one statement stores.")                                                \
  OPTION(absl::Duration, append_linger_max, absl::Milliseconds(2),                                \
         Range(absl::ZeroDuration(), absl::Seconds(1)),                                           \
         "Longest time that an entry waits for a running statement; then a second one begins.")   \
  OPTION(int, tables_open_max, 200'000, Range(1, 10'000'000, "tables"),                           \
         "Tables in play that this replica holds in memory. Its further tables wait until it "    \
         "has room.")                                                                             \
  OPTION(absl::Duration, bot_delay, absl::Milliseconds(600),                                      \
         Range(absl::ZeroDuration(), absl::Minutes(1)),                                           \
         "Time that a bot waits before it acts, so that people can follow the play.")             \
  OPTION(absl::Duration, bots_only_delay, absl::Milliseconds(60),                                 \
         Range(absl::ZeroDuration(), absl::Minutes(1)),                                           \
         "Delay of a bot at a table of bots only. There, deals begin ten such delays apart.")     \
  OPTION(absl::Duration, deal_pause, absl::Seconds(4),                                            \
         Range(absl::ZeroDuration(), absl::Minutes(10)),                                          \
         "Pause between the deals of a match, for reading the score.")                            \
  OPTION(std::string, archive_dir, "", Path(),                                                    \
         "Directory of the archive, the same for all replicas. Empty: nothing is archived.")      \
  OPTION(absl::Duration, archive_after, absl::Hours(7 * 24),                                      \
         Range(absl::Hours(24), absl::Hours(24 * 3'650)),                                         \
         "The log of a day is archived and dropped this long after the end of the day, as soon "  \
         "as its matches are over.")

namespace tarot::rules_service {

struct Options {
  TAROT_RULES_OPTIONS(TAROT_OPTION_FIELD)
};

// Applies the missing migrations. If the database has no tables yet, gives it to options.cell. If
// it has tables of another cell, returns FAILED_PRECONDITION DATABASE_OF_OTHER_CELL. The role of
// options.dsn must own the schema.
absl::Status MigrateSchema(const Options& options);

// Returns a check that the database answers and that its schema is new enough, for rpc::RunService.
rpc::StartCheck CheckStart(const Options& options);

// Starts the service. CheckStart must have succeeded. If the database belongs to another cell than
// options.cell, writes nothing and returns FAILED_PRECONDITION DATABASE_OF_OTHER_CELL. The service
// serves, and acquires every table in play that this replica hosts.
absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment);

}  // namespace tarot::rules_service
