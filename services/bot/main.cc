// The program tarot-bot: the service that decides for the seats of bots and analyzes deals.
#include "libs/rpc/process.h"
#include "services/bot/service.h"

TAROT_BOT_OPTIONS(TAROT_OPTION_FLAG)
TAROT_TLS_OPTIONS(TAROT_OPTION_FLAG)

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "bot", {TAROT_BOT_OPTIONS(TAROT_OPTION_RANGE)});
  const tarot::bot_service::Options options = {TAROT_BOT_OPTIONS(TAROT_OPTION_VALUE)};
  return tarot::rpc::RunService(
      {options.listen_address, options.metrics_address, options.lame_duck}, {},
      [&](const tarot::rpc::Environment& environment) {
        return tarot::bot_service::StartService(options, environment);
      });
}
