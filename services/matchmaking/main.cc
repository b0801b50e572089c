// tarot-matchmaking: flags, wiring, serve.
#include <memory>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "libs/base/entropy.h"
#include "libs/base/real_clock.h"
#include "libs/obs/log.h"
#include "libs/obs/metrics_server.h"
#include "libs/rpc/process.h"
#include "services/matchmaking/service.h"

ABSL_FLAG(std::string, listen_address, tarot::matchmaking_service::Options().listen_address,
          "Where to serve gRPC: host:port; port 0 takes a free one.");
ABSL_FLAG(std::string, advertise_address, tarot::matchmaking_service::Options().advertise_address,
          "What tells this replica from the others: host:port. By default where it listens.");
ABSL_FLAG(std::string, metrics_address, "127.0.0.1:8102", "Where to serve /metrics over HTTP.");
ABSL_FLAG(std::string, dsn, "", "Postgres, as libpq takes it; without a password.");
ABSL_FLAG(std::string, internal_key_file, "", "Keys of the tokens between services.");
ABSL_FLAG(std::string, rules_address, tarot::matchmaking_service::Options().rules_address,
          "The rules service: host:port, or a comma list of ip:port.");
ABSL_FLAG(std::string, ratings_address, tarot::matchmaking_service::Options().ratings_address,
          "The ratings service: host:port, or a comma list of ip:port.");
ABSL_FLAG(int, population, tarot::matchmaking_service::Options().population_size,
          "How many bots of the house queue for ranked matches by themselves.");

int main(int argc, char** argv) {
  using tarot::obs::Level;
  tarot::rpc::InitProcess(argc, argv, "matchmaking", {"population"});
  tarot::rpc::LogEffectiveOptions();

  tarot::RealClock clock;
  tarot::RealScheduler scheduler;
  tarot::OsEntropy entropy;
  const auto registry = std::make_shared<prometheus::Registry>();
  const tarot::obs::MetricsServer metrics(absl::GetFlag(FLAGS_metrics_address), registry);
  if (!metrics.ok()) return 1;

  const auto service = tarot::matchmaking_service::Service::Start(
      {.listen_address = absl::GetFlag(FLAGS_listen_address),
       .advertise_address = absl::GetFlag(FLAGS_advertise_address),
       .internal_key_file = absl::GetFlag(FLAGS_internal_key_file),
       .dsn = absl::GetFlag(FLAGS_dsn),
       .rules_address = absl::GetFlag(FLAGS_rules_address),
       .ratings_address = absl::GetFlag(FLAGS_ratings_address),
       .population_size = absl::GetFlag(FLAGS_population)},
      clock, scheduler, entropy, registry);
  if (!service.ok()) {
    tarot::obs::Log(Level::kError, "cannot start", {{"why", service.status().message()}});
    return 1;
  }
  tarot::obs::Log(Level::kInfo, "serving", {{"port", absl::StrCat((*service)->port())}});
  tarot::rpc::WaitForStop();
  (*service)->Shutdown();
  return 0;
}
