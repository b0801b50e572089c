// The program tarot-ratings rates finished matches and shows the ladder.
#include "libs/rpc/process.h"
#include "services/ratings/service.h"

TAROT_RATINGS_OPTIONS(TAROT_OPTION_FLAG)

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "ratings", {TAROT_RATINGS_OPTIONS(TAROT_OPTION_RANGE)});
  const tarot::ratings_service::Options options = {TAROT_RATINGS_OPTIONS(TAROT_OPTION_VALUE)};
  return tarot::rpc::RunService(options.metrics_address,
                                [&](const tarot::rpc::Environment& environment) {
                                  return tarot::ratings_service::StartService(options, environment);
                                });
}
