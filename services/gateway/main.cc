// The program tarot-gateway: the only service that players reach.
#include "libs/rpc/process.h"
#include "services/gateway/service.h"

TAROT_GATEWAY_OPTIONS(TAROT_OPTION_FLAG)
TAROT_TLS_OPTIONS(TAROT_OPTION_FLAG)

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "gateway", {TAROT_GATEWAY_OPTIONS(TAROT_OPTION_RANGE)});
  const tarot::gateway_service::Options options = {TAROT_GATEWAY_OPTIONS(TAROT_OPTION_VALUE)};
  return tarot::rpc::RunService(
      {options.listen_address, options.metrics_address, options.lame_duck}, {},
      [&](const tarot::rpc::Environment& environment) {
        return tarot::gateway_service::StartService(options, environment);
      });
}
