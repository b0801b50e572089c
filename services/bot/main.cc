// tarot-bot: decides for the seats that bots hold.
#include <memory>
#include <string>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "libs/base/real_clock.h"
#include "libs/obs/log.h"
#include "libs/obs/metrics_server.h"
#include "libs/rpc/process.h"
#include "services/bot/service.h"

using tarot::bot_service::Options;
const Options kDefaults;

ABSL_FLAG(std::string, listen_address, kDefaults.listen_address, "host:port of the gRPC server");
ABSL_FLAG(std::string, metrics_address, "127.0.0.1:8103", "host:port of /metrics");
ABSL_FLAG(std::string, internal_key_file, "", "key ring of service-to-service tokens");
ABSL_FLAG(int, worker_threads, kDefaults.worker_threads, "decisions at a time");

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "bot");
  Options options;
  options.listen_address = absl::GetFlag(FLAGS_listen_address);
  options.internal_key_file = absl::GetFlag(FLAGS_internal_key_file);
  options.worker_threads = absl::GetFlag(FLAGS_worker_threads);

  tarot::RealClock clock;
  tarot::RealScheduler scheduler;
  tarot::OsEntropy entropy;
  const auto registry = std::make_shared<prometheus::Registry>();
  const tarot::obs::MetricsServer metrics(absl::GetFlag(FLAGS_metrics_address), registry);
  if (!metrics.ok()) return 1;  // It has said why.
  const auto service =
      tarot::bot_service::Service::Start(options, clock, scheduler, entropy, registry);
  if (!service.ok()) {
    tarot::obs::Log(tarot::obs::Level::kError, "cannot start",
                    {{"why", service.status().message()}});
    return 1;
  }
  tarot::rpc::LogEffectiveOptions();
  tarot::obs::Log(tarot::obs::Level::kInfo, "serving",
                  {{"port", absl::StrCat((*service)->port())}});
  tarot::rpc::WaitForStop();
  (*service)->Shutdown();
  return 0;
}
