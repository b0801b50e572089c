// The program tarot-all-in-one runs all services in one process.
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "libs/obs/metrics.h"
#include "libs/pg/schema_check.h"
#include "libs/rpc/process.h"
#include "services/all_in_one/platform.h"

#define TAROT_ALL_IN_ONE_OPTIONS(OPTION)                                                         \
  OPTION(std::string, listen_address, "127.0.0.1:7100", Address(),                               \
         "Address of the gateway; see tarot-gateway --help. The other services keep their "      \
         "default addresses.")                                                                   \
  OPTION(bool, loopback_players, false, Switch(),                                                \
         "Allows players without the door; see tarot-gateway --help.")                           \
  OPTION(std::string, http_address, "", AddressOrEmpty(),                                        \
         "Address of the gateway's HTTP door; see tarot-gateway --help.")                        \
  OPTION(std::string, page_dir, "", Path(), "Folder of the page; see tarot-gateway --help.")     \
  OPTION(std::string, metrics_address, "127.0.0.1:8100", Address(),                              \
         "Address of /metrics of the services behind the gateway.")                              \
  OPTION(std::string, gateway_metrics_address, "127.0.0.1:8105", Address(),                      \
         "Address of /metrics of the gateway.")                                                  \
  OPTION(absl::Duration, lame_duck, absl::Seconds(5),                                            \
         Range(absl::ZeroDuration(), absl::Minutes(10)), "See tarot-gateway --help.")            \
  OPTION(std::string, dsn, "", Dsn(), "Database of all services. Put secrets into a passfile.")  \
  OPTION(std::string, internal_key_file, "", Path(),                                             \
         "Key ring of the tokens between services: lines of NAME:BASE64, mode 0600.")            \
  OPTION(std::string, seed_key_file, "", Path(),                                                 \
         "Keys that encrypt the secrets of running deals, in the form of internal_key_file.")    \
  OPTION(std::string, gateway_key_file, "", Path(),                                              \
         "Key ring of the players' tokens, in the form of internal_key_file.")                   \
  OPTION(std::string, operator_key_file, "", Path(),                                             \
         "Keys of the operators; see tarot-admin --help. Without it there is no admin service.") \
  OPTION(int, population, 0, Range(0, 10'000, "bots"),                                           \
         "Number of bots of the roster that queue for ranked matches by themselves.")

TAROT_ALL_IN_ONE_OPTIONS(TAROT_OPTION_FLAG)

namespace {

struct Flags {
  TAROT_ALL_IN_ONE_OPTIONS(TAROT_OPTION_FIELD)
};

tarot::all_in_one::Options ServiceOptions(const Flags& flags) {
  tarot::all_in_one::Options options;
  options.bot.internal_key_file = flags.internal_key_file;
  options.ratings.internal_key_file = flags.internal_key_file;
  options.ratings.dsn = flags.dsn;
  options.rules.internal_key_file = flags.internal_key_file;
  options.rules.seed_key_file = flags.seed_key_file;
  options.rules.dsn = flags.dsn;
  options.matchmaking.internal_key_file = flags.internal_key_file;
  options.matchmaking.dsn = flags.dsn;
  options.matchmaking.population = flags.population;
  options.admin.internal_key_file = flags.internal_key_file;
  options.admin.operator_key_file = flags.operator_key_file;
  options.admin.dsn = flags.dsn;
  options.gateway.internal_key_file = flags.internal_key_file;
  options.gateway.gateway_key_file = flags.gateway_key_file;
  options.gateway.listen_address = flags.listen_address;
  options.gateway.lame_duck = flags.lame_duck;
  options.gateway.http_address = flags.http_address;
  options.gateway.page_dir = flags.page_dir;
  options.gateway.loopback_players = flags.loopback_players;
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "all_in_one", {TAROT_ALL_IN_ONE_OPTIONS(TAROT_OPTION_RANGE)});
  const Flags flags = {TAROT_ALL_IN_ONE_OPTIONS(TAROT_OPTION_VALUE)};
  const auto gateway_registry = std::make_shared<prometheus::Registry>();
  const tarot::obs::MetricsServer gateway_metrics(flags.gateway_metrics_address, gateway_registry);
  if (!gateway_metrics.ok()) return 1;  // The metrics server has logged why it cannot start.
  const tarot::all_in_one::Options options = ServiceOptions(flags);
  return tarot::rpc::RunService({flags.listen_address, flags.metrics_address, flags.lame_duck},
                                tarot::pg::CheckSchema(flags.dsn, "rules", {}),
                                [&](const tarot::rpc::Environment& environment) {
                                  return tarot::all_in_one::Platform::Start(options, environment,
                                                                            gateway_registry);
                                });
}
