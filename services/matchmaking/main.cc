// The program tarot-matchmaking serves queues, rooms and friends, and brings players together at
// tables.
#include "libs/rpc/process.h"
#include "services/matchmaking/service.h"

TAROT_MATCHMAKING_OPTIONS(TAROT_OPTION_FLAG)
TAROT_TLS_OPTIONS(TAROT_OPTION_FLAG)

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "matchmaking",
                          {TAROT_MATCHMAKING_OPTIONS(TAROT_OPTION_RANGE)});
  const tarot::matchmaking_service::Options options = {
      TAROT_MATCHMAKING_OPTIONS(TAROT_OPTION_VALUE)};
  if (options.migrate_only) {
    return tarot::rpc::RunJob([&] { return tarot::matchmaking_service::MigrateSchema(options); });
  }
  return tarot::rpc::RunService(
      {options.listen_address, options.metrics_address, options.lame_duck},
      tarot::matchmaking_service::CheckStart(options),
      [&](const tarot::rpc::Environment& environment) {
        return tarot::matchmaking_service::StartService(options, environment);
      });
}
