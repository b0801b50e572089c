// tarot-admin: the admin service, through which operators run the platform.
#include "libs/rpc/process.h"
#include "services/admin/service.h"

TAROT_ADMIN_OPTIONS(TAROT_OPTION_FLAG)
TAROT_TLS_OPTIONS(TAROT_OPTION_FLAG)

int main(int argc, char** argv) {
  using tarot::admin_service::Options;
  tarot::rpc::InitProcess(argc, argv, "admin", {TAROT_ADMIN_OPTIONS(TAROT_OPTION_RANGE)});
  const Options options = {TAROT_ADMIN_OPTIONS(TAROT_OPTION_VALUE)};
  if (options.migrate_only) {
    return tarot::rpc::RunJob([&] { return MigrateSchema(options); });
  }
  return tarot::rpc::RunService(
      {options.listen_address, options.metrics_address, options.lame_duck}, CheckStart(options),
      [&](const tarot::rpc::Environment& environment) {
        return StartService(options, environment);
      });
}
