// tarot-rules: live tables, records and the referee.
#include <memory>
#include <string>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "libs/base/real_clock.h"
#include "libs/obs/log.h"
#include "libs/obs/metrics_server.h"
#include "libs/rpc/process.h"
#include "services/rules/service.h"

using tarot::rules_service::Options;
const Options kDefaults;

ABSL_FLAG(std::string, listen_address, kDefaults.listen_address, "host:port of the gRPC server");
ABSL_FLAG(std::string, advertise_address, "",
          "host:port at which gateways and other replicas reach this one; empty: listen_address");
ABSL_FLAG(std::string, metrics_address, "127.0.0.1:8101", "host:port of /metrics");
ABSL_FLAG(std::string, dsn, "", "Postgres, libpq form; secrets in a passfile");
ABSL_FLAG(std::string, internal_key_file, "", "key ring of service-to-service tokens");
ABSL_FLAG(std::string, bot_address, kDefaults.bot_address, "host:port of the bot service");
ABSL_FLAG(std::string, ratings_address, kDefaults.ratings_address, "host:port of ratings");
ABSL_FLAG(std::string, matchmaking_address, kDefaults.matchmaking_address,
          "host:port of matchmaking");
ABSL_FLAG(int, worker_threads, kDefaults.worker_threads, "threads, each with its connection");
ABSL_FLAG(int, append_connections, kDefaults.append_connections,
          "statements that store actions at once");
ABSL_FLAG(int, append_batch_rows_max, kDefaults.append_batch_rows_max,
          "actions stored by one statement");
ABSL_FLAG(absl::Duration, append_company_wait_max, kDefaults.append_company_wait_max,
          "wait for the running statement before a second is begun");
ABSL_FLAG(int, tables_open_max, kDefaults.tables_open_max,
          "tables in play that this replica holds; more wait for room at another");
ABSL_FLAG(absl::Duration, bot_delay, kDefaults.bot_delay, "how long a bot seems to think");
ABSL_FLAG(absl::Duration, bots_only_delay, kDefaults.bots_only_delay,
          "the same at a table of bots alone");
ABSL_FLAG(absl::Duration, deal_pause, kDefaults.deal_pause, "between the deals of a match");

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(
      argc, argv, "rules",
      {"append_company_wait_max", "bot_delay", "bots_only_delay", "deal_pause"});
  Options options;
  options.listen_address = absl::GetFlag(FLAGS_listen_address);
  options.advertise_address = absl::GetFlag(FLAGS_advertise_address);
  options.dsn = absl::GetFlag(FLAGS_dsn);
  options.internal_key_file = absl::GetFlag(FLAGS_internal_key_file);
  options.bot_address = absl::GetFlag(FLAGS_bot_address);
  options.ratings_address = absl::GetFlag(FLAGS_ratings_address);
  options.matchmaking_address = absl::GetFlag(FLAGS_matchmaking_address);
  options.worker_threads = absl::GetFlag(FLAGS_worker_threads);
  options.append_connections = absl::GetFlag(FLAGS_append_connections);
  options.append_batch_rows_max = absl::GetFlag(FLAGS_append_batch_rows_max);
  options.append_company_wait_max = absl::GetFlag(FLAGS_append_company_wait_max);
  options.tables_open_max = absl::GetFlag(FLAGS_tables_open_max);
  options.bot_delay = absl::GetFlag(FLAGS_bot_delay);
  options.bots_only_delay = absl::GetFlag(FLAGS_bots_only_delay);
  options.deal_pause = absl::GetFlag(FLAGS_deal_pause);

  tarot::RealClock clock;
  tarot::RealScheduler scheduler;
  tarot::OsEntropy entropy;
  const auto registry = std::make_shared<prometheus::Registry>();
  const tarot::obs::MetricsServer metrics(absl::GetFlag(FLAGS_metrics_address), registry);
  if (!metrics.ok()) return 1;  // It has said why.
  const auto service =
      tarot::rules_service::Service::Start(options, clock, scheduler, entropy, registry);
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
