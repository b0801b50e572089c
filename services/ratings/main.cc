// The program tarot-ratings rates finished matches and shows the ladder.
#include "libs/rpc/process.h"
#include "services/ratings/service.h"

TAROT_RATINGS_OPTIONS(TAROT_OPTION_FLAG)
TAROT_TLS_OPTIONS(TAROT_OPTION_FLAG)

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "ratings", {TAROT_RATINGS_OPTIONS(TAROT_OPTION_RANGE)});
  const tarot::ratings_service::Options options = {TAROT_RATINGS_OPTIONS(TAROT_OPTION_VALUE)};
  if (options.migrate_only) {
    return tarot::rpc::RunJob([&] { return tarot::ratings_service::MigrateSchema(options); });
  }
  return tarot::rpc::RunService(
      {options.listen_address, options.metrics_address, options.lame_duck},
      tarot::ratings_service::CheckStart(options), [&](const tarot::rpc::Environment& environment) {
        return tarot::ratings_service::StartService(options, environment);
      });
}
