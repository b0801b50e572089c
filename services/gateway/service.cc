#include "services/gateway/service.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/base/error.h"
#include "libs/base/gateway_limits.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/obs/log.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/cells.h"
#include "libs/rpc/server.h"
#include "services/gateway/app/revocations.h"
#include "services/gateway/app/sessions.h"
#include "services/gateway/app/table_hub.h"
#include "services/gateway/limits.h"
#include "services/gateway/metrics.h"
#include "services/gateway/transport/account_client.h"
#include "services/gateway/transport/auth_interceptor.h"
#include "services/gateway/transport/bot_names.h"
#include "services/gateway/transport/door.h"
#include "services/gateway/transport/forwarder.h"
#include "services/gateway/transport/http_door.h"
#include "services/gateway/transport/key_file.h"
#include "services/gateway/transport/presence_reports.h"
#include "services/gateway/transport/ranked_names.h"
#include "services/gateway/transport/revocation_client.h"
#include "services/gateway/transport/routes.h"
#include "services/gateway/transport/rules_cells.h"
#include "services/gateway/transport/session_service.h"
#include "services/gateway/transport/traces.h"

namespace tarot::gateway_service {
namespace {

// Checks the key file every kKeyReloadInterval, as long as `keys` exists.
void KeepReloading(const std::weak_ptr<KeyFile>& keys, Scheduler& scheduler) {
  scheduler.After(kKeyReloadInterval, [keys, &scheduler] {
    const std::shared_ptr<KeyFile> file = keys.lock();
    if (file == nullptr) return;
    const absl::StatusOr<bool> changed = file->Reload();
    if (!changed.ok()) {
      obs::Log(obs::Level::kError, "the new keys cannot be used, so the old keys stay in use",
               {{"why", changed.status().message()}});
    } else if (*changed) {
      obs::Log(obs::Level::kInfo, "the new keys are in use");
    }
    KeepReloading(keys, scheduler);
  });
}

void LogCutNames(std::size_t count) {
  obs::Log(obs::Level::kWarning, "too many names of ranked players",
           {{"names", absl::StrCat(count)},
            {"effect", "guests may take the names of the ranked players who played longest ago"}});
}

void LogPage(const absl::StatusOr<std::size_t>& files) {
  if (files.ok()) {
    obs::Log(obs::Level::kInfo, "serving the page", {{"files", absl::StrCat(*files)}});
  } else {
    obs::Log(obs::Level::kError, "the page cannot be served, so browsers get the page before it",
             {{"why", files.status().message()}});
  }
}

// Returns the values of the options that operators may replace: one for each of kGatewayLimits.
LimitValues OptionLimits(const Options& options) {
  return {{"calls_per_second", options.calls_per_second},
          {"call_burst", options.call_burst},
          {"address_calls_per_second", options.address_calls_per_second},
          {"sign_ins_per_second", options.sign_ins_per_second},
          {"sign_in_burst", options.sign_in_burst},
          {"streams_per_player_max", options.streams_per_player_max},
          {"streams_per_address_max", options.streams_per_address_max},
          {"streams_max", options.streams_max}};
}

CallLimits CallLimitsOf(const LimitValues& values) {
  const double address_calls = values.at("address_calls_per_second");
  return {.calls = {.per_second = values.at("calls_per_second"), .burst = values.at("call_burst")},
          .address_calls = {.per_second = address_calls, .burst = address_calls},
          .sign_ins = {.per_second = values.at("sign_ins_per_second"),
                       .burst = values.at("sign_in_burst")}};
}

// Returns the limits of a process that has just started. The last two never change.
CallLimits FirstCallLimits(const Options& options) {
  CallLimits limits = CallLimitsOf(OptionLimits(options));
  limits.secrets = {.per_second = options.secrets_per_second, .burst = options.secret_burst};
  limits.sign_outs = {.per_second = kSignOutsPerSecond, .burst = kSignOutBurst};
  return limits;
}

SlotLimit StreamLimitOf(const LimitValues& values) {
  return {.per_player = static_cast<int>(values.at("streams_per_player_max")),
          .per_address = static_cast<int>(values.at("streams_per_address_max")),
          .all = static_cast<int>(values.at("streams_max"))};
}

// The members are constructed in this order, and destroyed in reverse order.
struct Instance final : rpc::Service {
  Instance(const Options& options, const rpc::Cells& cells, std::shared_ptr<KeyFile> key_file,
           std::shared_ptr<rpc::ServiceKeys> internal_keys, const rpc::Environment& environment)
      : lame_duck(options.lame_duck),
        clock(environment.clock),
        registry(environment.registry),
        keys(std::move(key_file)),
        identity(std::move(internal_keys), clock),
        metrics(*registry),
        server_calls(rpc::Side::kServer, *registry),
        client_calls(rpc::Side::kClient, *registry),
        sessions(options.token_life, reserved_bot_names, reserved_ranked_names, revocations, *keys,
                 clock, environment.entropy),
        traces(options.trace_one_in, environment.entropy),
        option_limits(OptionLimits(options)),
        auth(FirstCallLimits(options), sessions, clock, metrics),
        scheduler(environment.scheduler),
        ratings_channel(rpc::MakeServiceChannel("ratings", options.ratings_address)),
        revocation_client(
            ratings_channel, identity, revocations,
            [this](const LimitValues& changed) { SetLimits(changed); }, clock, scheduler,
            client_calls, metrics),
        account_client(ratings_channel, identity, client_calls),
        session_service(sessions, auth, revocations, revocation_client, account_client, traces,
                        clock, metrics, server_calls),
        rules(cells, identity, clock, scheduler, client_calls, metrics),
        hub(rules, metrics),
        matchmaking_channel(rpc::MakeServiceChannel("matchmaking", options.matchmaking_address)),
        matchmaking("matchmaking", matchmaking_channel),
        bot_names(matchmaking_channel, identity, reserved_bot_names, scheduler, client_calls),
        ranked_names(ratings_channel, identity, reserved_ranked_names, scheduler, client_calls,
                     LogCutNames),
        ratings("ratings", ratings_channel),
        bot("bot", rpc::MakeServiceChannel("bot", options.bot_address)),
        forwarder(StreamLimitOf(option_limits), options.calls, cells, options.region, routes, auth,
                  revocations, hub, identity, traces, clock, scheduler, metrics),
        presence(
            matchmaking_channel, identity, [this] { return forwarder.TakeActivePlayers(); },
            scheduler, client_calls) {
    client_calls.Register({"tarot.rules.v1.TableFeedService", "tarot.rules.v1.NodeService",
                           "tarot.matchmaking.v1.MatchmakingAdminService",
                           "tarot.ratings.v1.PlayerAdminService",
                           "tarot.ratings.v1.AccountAdminService"});
    AddPlayerServices(rules, matchmaking, ratings, bot, server_calls, client_calls, routes);
    ShowLimits(option_limits);
  }
  ~Instance() override { Shutdown(); }

  int port() const override { return server->port(); }

  void Shutdown() override {
    forwarder.EndStreams(kStreamsEndFactor * lame_duck);
    if (http_door != nullptr) http_door->Shutdown();
    if (server != nullptr) server->Shutdown();
    scheduler.Stop();
    bot_names.Stop();
    ranked_names.Stop();
    presence.Stop();
    revocation_client.Stop();
    account_client.Stop();
    rules.Stop();
  }

  // Replaces the limits of `changed`. All other limits get the values of their options. Ratings
  // stores no value that a limit does not accept, but ratings may be of another release.
  void SetLimits(const LimitValues& changed) {
    LimitValues limits = option_limits;
    std::string text;
    for (const auto& [name, value] : changed) {
      const GatewayLimit* const limit = FindGatewayLimit(name);
      if (limit == nullptr || !limit->Accepts(value)) continue;
      limits[name] = value;
      absl::StrAppendFormat(&text, "%s%s=%.9g", text.empty() ? "" : " ", name, value);
    }
    auth.SetLimits(CallLimitsOf(limits));
    forwarder.SetStreamLimit(StreamLimitOf(limits));
    ShowLimits(limits);
    obs::Log(obs::Level::kInfo, "the limits that operators have set are in use",
             {{"limits", text}});
  }

  void ShowLimits(const LimitValues& limits) {
    for (const auto& [name, value] : limits) metrics.limits.at(name)->Set(value);
  }

  // The door (HAProxy) sends new calls to other gateways soon after this call.
  void AnnounceShutdown() override { server->AnnounceShutdown(); }

  const absl::Duration lame_duck;
  Clock& clock;
  std::shared_ptr<prometheus::Registry> registry;
  std::shared_ptr<KeyFile> keys;
  rpc::Authenticator identity;
  Metrics metrics;
  rpc::CallMetrics server_calls;
  rpc::CallMetrics client_calls;
  ReservedNames reserved_bot_names;
  ReservedNames reserved_ranked_names;
  Revocations revocations;
  Sessions sessions;
  Traces traces;
  const LimitValues option_limits;
  AuthInterceptor auth;
  ScopedScheduler scheduler;
  const std::shared_ptr<grpc::Channel> ratings_channel;
  RevocationClient revocation_client;
  AccountClient account_client;
  SessionServiceImpl session_service;
  RulesCells rules;
  TableHub hub;
  const std::shared_ptr<grpc::Channel> matchmaking_channel;
  SimpleUpstream matchmaking;
  BotNames bot_names;
  RankedNames ranked_names;
  SimpleUpstream ratings;
  SimpleUpstream bot;
  Routes routes;
  Forwarder forwarder;
  PresenceReports presence;
  std::unique_ptr<rpc::Server> server;
  std::unique_ptr<HttpDoor> http_door;  // Null without --http_address.
};

}  // namespace

absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment) {
  MakeSocketFolder(options.listen_address);
  TAROT_RETURN_IF_ERROR(CheckListenAddress(options.listen_address, options.loopback_players));
  if (!options.http_address.empty()) {
    TAROT_RETURN_IF_ERROR(CheckListenAddress(options.http_address, options.loopback_players));
  }
  TAROT_ASSIGN_OR_RETURN(std::shared_ptr<KeyFile> keys, KeyFile::Open(options.gateway_key_file));
  TAROT_ASSIGN_OR_RETURN(std::shared_ptr<rpc::ServiceKeys> internal_keys,
                         rpc::OpenServiceKeys("gateway", options));
  TAROT_ASSIGN_OR_RETURN(const rpc::Cells cells, rpc::ParseCells(options.rules_address));
  auto instance =
      std::make_unique<Instance>(options, cells, keys, std::move(internal_keys), environment);
  // As soon as the server has its port, calls may come. They need the list of replicas.
  instance->rules.Start(instance->hub);
  if (!instance->revocation_client.Start()) {
    obs::Log(obs::Level::kError,
             "ratings does not answer, so tokens that were revoked earlier still work");
  }
  TAROT_ASSIGN_OR_RETURN(
      instance->server,
      rpc::Server::Start({.address = options.listen_address,
                          .request_bytes_max = kRequestBytesMax,
                          .ready = [i = instance.get()] { return i->rules.listed(); },
                          .for_players = true},
                         {&instance->session_service}, &instance->forwarder));
  instance->server->WatchThreads(environment.scheduler, {});
  if (!options.http_address.empty()) {
    TAROT_ASSIGN_OR_RETURN(
        instance->http_door,
        HttpDoor::Start(
            options.http_address, options.page_dir, instance->server->InProcessChannel(),
            instance->routes, instance->clock, environment.scheduler, instance->metrics,
            [i = instance.get()] { return i->server->Ready(); }, LogPage));
  }
  instance->bot_names.Start();
  instance->ranked_names.Start();
  instance->presence.Start();
  KeepReloading(keys, environment.scheduler);
  return instance;
}

}  // namespace tarot::gateway_service
