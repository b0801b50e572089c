// The program tarot-rules is the service that hosts tables in play, stores finished deals and
// offers RefereeService.
#include "libs/rpc/process.h"
#include "services/rules/service.h"

TAROT_RULES_OPTIONS(TAROT_OPTION_FLAG)
TAROT_TLS_OPTIONS(TAROT_OPTION_FLAG)

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "rules", {TAROT_RULES_OPTIONS(TAROT_OPTION_RANGE)});
  const tarot::rules_service::Options options = {TAROT_RULES_OPTIONS(TAROT_OPTION_VALUE)};
  if (options.migrate_only) {
    return tarot::rpc::RunJob([&] { return tarot::rules_service::MigrateSchema(options); });
  }
  return tarot::rpc::RunService(
      {options.listen_address, options.metrics_address, options.lame_duck},
      tarot::rules_service::CheckStart(options), [&](const tarot::rpc::Environment& environment) {
        return tarot::rules_service::StartService(options, environment);
      });
}
