// tarot-gateway: the only door for players.
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "libs/base/entropy.h"
#include "libs/base/real_clock.h"
#include "libs/obs/log.h"
#include "libs/obs/metrics_server.h"
#include "libs/rpc/process.h"
#include "services/gateway/service.h"

const tarot::gateway::Options kDefaults;

ABSL_FLAG(std::string, listen_address, kDefaults.listen_address, "Where players come in.");
ABSL_FLAG(std::string, metrics_address, "127.0.0.1:8100", "Where /metrics is served.");
ABSL_FLAG(std::string, rules_address, kDefaults.rules_address,
          "Replicas of the rules service, by commas; they name the others.");
ABSL_FLAG(std::string, matchmaking_address, kDefaults.matchmaking_address,
          "The matchmaking service.");
ABSL_FLAG(std::string, ratings_address, kDefaults.ratings_address, "The ratings service.");
ABSL_FLAG(std::string, bot_address, kDefaults.bot_address, "The bot service, for analyses.");
ABSL_FLAG(std::string, gateway_key_file, kDefaults.gateway_key_file,
          "Keys of the players' tokens: one kid:base64 a line, mode 0600. Read again on change.");
ABSL_FLAG(std::string, internal_key_file, kDefaults.internal_key_file,
          "Keys of the tokens between services, in the same form.");
ABSL_FLAG(absl::Duration, token_life, kDefaults.token_life, "How long a player's token is good.");
ABSL_FLAG(double, calls_per_second, kDefaults.call_limit.per_second, "Of one player.");
ABSL_FLAG(double, call_burst, kDefaults.call_limit.burst, "Calls at once after a pause.");
ABSL_FLAG(double, sign_ins_per_second, kDefaults.sign_in_limit.per_second, "From one address.");
ABSL_FLAG(double, sign_in_burst, kDefaults.sign_in_limit.burst, "Sign-ins at once after a pause.");
ABSL_FLAG(int, streams_per_player_max, kDefaults.streams.per_player,
          "Streams that one player may hold open.");
ABSL_FLAG(int, streams_max, kDefaults.streams.all, "Streams that all players may hold open.");

namespace {

tarot::gateway::Options OptionsFromFlags() {
  return {
      .listen_address = absl::GetFlag(FLAGS_listen_address),
      .rules_address = absl::GetFlag(FLAGS_rules_address),
      .matchmaking_address = absl::GetFlag(FLAGS_matchmaking_address),
      .ratings_address = absl::GetFlag(FLAGS_ratings_address),
      .bot_address = absl::GetFlag(FLAGS_bot_address),
      .gateway_key_file = absl::GetFlag(FLAGS_gateway_key_file),
      .internal_key_file = absl::GetFlag(FLAGS_internal_key_file),
      .token_life = absl::GetFlag(FLAGS_token_life),
      .call_limit = {.per_second = absl::GetFlag(FLAGS_calls_per_second),
                     .burst = absl::GetFlag(FLAGS_call_burst)},
      .sign_in_limit = {.per_second = absl::GetFlag(FLAGS_sign_ins_per_second),
                        .burst = absl::GetFlag(FLAGS_sign_in_burst)},
      .streams = {.per_player = absl::GetFlag(FLAGS_streams_per_player_max),
                  .all = absl::GetFlag(FLAGS_streams_max)},
  };
}

}  // namespace

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "gateway");
  tarot::RealClock clock;
  tarot::RealScheduler scheduler;
  tarot::OsEntropy entropy;
  const auto registry = std::make_shared<prometheus::Registry>();
  const tarot::obs::MetricsServer metrics(absl::GetFlag(FLAGS_metrics_address), registry);
  if (!metrics.ok()) return EXIT_FAILURE;
  const auto service =
      tarot::gateway::Service::Start(OptionsFromFlags(), clock, scheduler, entropy, registry);
  if (!service.ok()) {
    tarot::obs::Log(tarot::obs::Level::kError, "cannot start",
                    {{"why", service.status().message()}});
    return EXIT_FAILURE;
  }
  tarot::rpc::LogEffectiveOptions();
  tarot::obs::Log(tarot::obs::Level::kInfo, "serving",
                  {{"port", absl::StrCat((*service)->port())}});
  tarot::rpc::WaitForStop();
  (*service)->Shutdown();
  return EXIT_SUCCESS;
}
