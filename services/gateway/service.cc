#include "services/gateway/service.h"

#include <google/protobuf/descriptor.h>

#include <utility>

#include "absl/strings/str_split.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/base/status_macros.h"
#include "libs/obs/log.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/channel.h"
#include "libs/rpc/server.h"
#include "services/gateway/app/sessions.h"
#include "services/gateway/app/table_hub.h"
#include "services/gateway/metrics.h"
#include "services/gateway/transport/door.h"
#include "services/gateway/transport/forwarder.h"
#include "services/gateway/transport/key_file.h"
#include "services/gateway/transport/routes.h"
#include "services/gateway/transport/rules_nodes.h"
#include "services/gateway/transport/session_service_impl.h"

namespace tarot::gateway {
namespace {

constexpr absl::Duration kReloadInterval = absl::Seconds(30);
// A move is some hundred bytes; nothing that a player sends comes near this.
constexpr int kRequestBytesMax = 64 << 10;

// As long as somebody else holds the keys.
void KeepReloading(const std::weak_ptr<KeyFile>& keys, Scheduler& scheduler) {
  scheduler.After(kReloadInterval, [keys, &scheduler] {
    const std::shared_ptr<KeyFile> file = keys.lock();
    if (file == nullptr) return;
    const absl::StatusOr<bool> changed = file->Reload();
    if (!changed.ok()) {
      obs::Log(obs::Level::kError, "new keys cannot be used, the old ones stay",
               {{"why", changed.status().message()}});
    } else if (*changed) {
      obs::Log(obs::Level::kInfo, "new keys are in use");
    }
    KeepReloading(keys, scheduler);
  });
}

}  // namespace

struct Service::Parts {
  Parts(const Options& options, std::shared_ptr<KeyFile> key_file, rpc::KeyRing internal_keys,
        Clock& clock, Scheduler& timer, Entropy& entropy,
        std::shared_ptr<prometheus::Registry> metrics_registry)
      : registry(std::move(metrics_registry)),
        keys(std::move(key_file)),
        inward(std::move(internal_keys), clock),
        metrics(*registry),
        server_calls(rpc::Side::kServer, *registry),
        client_calls(rpc::Side::kClient, *registry),
        sessions(options.token_life, *keys, clock, entropy),
        door(options.call_limit, options.sign_in_limit, sessions, clock, metrics),
        session_service(sessions, door, clock, metrics, server_calls),
        scheduler(timer),
        rules(absl::StrSplit(options.rules_address, ','), inward, clock, scheduler, client_calls,
              metrics),
        hub(rules, metrics),
        matchmaking("matchmaking", rpc::MakeChannel(options.matchmaking_address)),
        ratings("ratings", rpc::MakeChannel(options.ratings_address)),
        bot("bot", rpc::MakeChannel(options.bot_address)),
        forwarder(options.streams, options.calls, routes, door, hub, inward, clock, metrics) {
    for (const char* service : {"tarot.rules.v1.TableFeedService", "tarot.rules.v1.NodeService"}) {
      client_calls.Register(
          *google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(service));
    }
    AddPlayerServices(rules, matchmaking, ratings, bot, server_calls, client_calls, routes);
  }
  ~Parts() { Stop(); }  // Before any member goes, also when Start failed halfway.

  void Stop() {
    forwarder.EndStreams();
    if (server != nullptr) server->Shutdown();
    scheduler.Stop();
    rules.Stop();
  }

  std::shared_ptr<prometheus::Registry> registry;
  std::shared_ptr<KeyFile> keys;
  rpc::Authenticator inward;
  Metrics metrics;
  rpc::CallMetrics server_calls;
  rpc::CallMetrics client_calls;
  Sessions sessions;
  Door door;
  SessionServiceImpl session_service;
  ScopedScheduler scheduler;
  RulesNodes rules;
  TableHub hub;
  SimplePeer matchmaking;
  SimplePeer ratings;
  SimplePeer bot;
  Routes routes;
  Forwarder forwarder;
  std::unique_ptr<rpc::Server> server;
};

absl::StatusOr<std::unique_ptr<Service>> Service::Start(
    const Options& options, Clock& clock, Scheduler& scheduler, Entropy& entropy,
    std::shared_ptr<prometheus::Registry> registry) {
  TAROT_ASSIGN_OR_RETURN(std::shared_ptr<KeyFile> keys, KeyFile::Open(options.gateway_key_file));
  TAROT_ASSIGN_OR_RETURN(rpc::KeyRing internal_keys,
                         rpc::KeyRing::FromFile(options.internal_key_file));
  auto parts = std::make_unique<Parts>(options, keys, std::move(internal_keys), clock, scheduler,
                                       entropy, std::move(registry));
  parts->rules.Start(parts->hub);  // First: the first call may come as soon as there is a port.
  TAROT_ASSIGN_OR_RETURN(
      parts->server,
      rpc::Server::Start({.address = options.listen_address, .request_bytes_max = kRequestBytesMax},
                         {&parts->session_service}, &parts->forwarder));
  KeepReloading(keys, scheduler);
  return std::unique_ptr<Service>(new Service(std::move(parts)));
}

Service::Service(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Service::~Service() { Shutdown(); }

int Service::port() const { return parts_->server->port(); }

void Service::Shutdown() { parts_->Stop(); }

}  // namespace tarot::gateway
