// tarot-ratings: flags, wiring, serve.
#include <memory>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "libs/base/entropy.h"
#include "libs/base/real_clock.h"
#include "libs/obs/log.h"
#include "libs/obs/metrics_server.h"
#include "libs/rpc/process.h"
#include "services/ratings/service.h"

ABSL_FLAG(std::string, listen_address, tarot::ratings_service::Options().listen_address,
          "Where to serve gRPC: host:port; port 0 takes a free one.");
ABSL_FLAG(std::string, metrics_address, "127.0.0.1:8104", "Where to serve /metrics over HTTP.");
ABSL_FLAG(std::string, dsn, "", "Postgres, as libpq takes it; without a password.");
ABSL_FLAG(std::string, internal_key_file, "", "Keys of the tokens between services.");
ABSL_FLAG(double, place_deviation_max, tarot::ratings_service::Options().place_deviation_max,
          "The most uncertainty, in rating points, for a place on the leaderboard.");

int main(int argc, char** argv) {
  using tarot::obs::Level;
  tarot::rpc::InitProcess(argc, argv, "ratings");
  tarot::rpc::LogEffectiveOptions();

  tarot::RealClock clock;
  tarot::RealScheduler scheduler;
  tarot::OsEntropy entropy;
  const auto registry = std::make_shared<prometheus::Registry>();
  const tarot::obs::MetricsServer metrics(absl::GetFlag(FLAGS_metrics_address), registry);
  if (!metrics.ok()) return 1;

  const auto service = tarot::ratings_service::Service::Start(
      {.listen_address = absl::GetFlag(FLAGS_listen_address),
       .internal_key_file = absl::GetFlag(FLAGS_internal_key_file),
       .dsn = absl::GetFlag(FLAGS_dsn),
       .place_deviation_max = absl::GetFlag(FLAGS_place_deviation_max)},
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
