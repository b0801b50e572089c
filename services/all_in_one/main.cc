// tarot-all-in-one: the whole platform in one process.
#include <memory>
#include <string>

#include "absl/flags/flag.h"
#include "libs/base/real_clock.h"
#include "libs/obs/log.h"
#include "libs/obs/metrics_server.h"
#include "libs/rpc/process.h"
#include "services/all_in_one/platform.h"

using tarot::all_in_one::Options;
using tarot::all_in_one::Platform;

ABSL_FLAG(std::string, listen_address, "127.0.0.1:7100", "host:port of the gateway");
ABSL_FLAG(std::string, metrics_address, "127.0.0.1:8100", "host:port of /metrics of the others");
ABSL_FLAG(std::string, gateway_metrics_address, "127.0.0.1:8105",
          "host:port of the gateway's own /metrics");
ABSL_FLAG(std::string, dsn, "", "Postgres, libpq form; secrets in a passfile");
ABSL_FLAG(std::string, internal_key_file, "", "key ring of service-to-service tokens");
ABSL_FLAG(std::string, gateway_key_file, "", "key ring of players' tokens");
ABSL_FLAG(int, population, 0, "bots that queue for ranked matches by themselves");

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "all_in_one", {"population"});
  const std::string dsn = absl::GetFlag(FLAGS_dsn);
  const std::string keys = absl::GetFlag(FLAGS_internal_key_file);
  Options options;  // The inner services keep their own default ports, on loopback.
  options.bot.internal_key_file = keys;
  options.ratings.internal_key_file = keys;
  options.ratings.dsn = dsn;
  options.rules.internal_key_file = keys;
  options.rules.dsn = dsn;
  options.matchmaking.internal_key_file = keys;
  options.matchmaking.dsn = dsn;
  options.matchmaking.population_size = absl::GetFlag(FLAGS_population);
  options.gateway.internal_key_file = keys;
  options.gateway.gateway_key_file = absl::GetFlag(FLAGS_gateway_key_file);
  options.gateway.listen_address = absl::GetFlag(FLAGS_listen_address);

  tarot::RealClock clock;
  tarot::RealScheduler scheduler;
  tarot::OsEntropy entropy;
  const auto registry = std::make_shared<prometheus::Registry>();
  const tarot::obs::MetricsServer metrics(absl::GetFlag(FLAGS_metrics_address), registry);
  const auto gateway_registry = std::make_shared<prometheus::Registry>();
  const tarot::obs::MetricsServer gateway_metrics(absl::GetFlag(FLAGS_gateway_metrics_address),
                                                  gateway_registry);
  if (!metrics.ok() || !gateway_metrics.ok()) return 1;  // They have said why.
  const auto platform =
      Platform::Start(options, clock, scheduler, entropy, registry, gateway_registry);
  if (!platform.ok()) {
    tarot::obs::Log(tarot::obs::Level::kError, "cannot start",
                    {{"why", platform.status().message()}});
    return 1;
  }
  tarot::rpc::LogEffectiveOptions();
  tarot::rpc::WaitForStop();
  (*platform)->Shutdown();
  return 0;
}
