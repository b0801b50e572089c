#include "services/bot/service.h"

#include <utility>

#include "libs/base/error.h"
#include "libs/base/worker_pool.h"
#include "libs/rpc/cells.h"
#include "libs/rpc/server.h"
#include "services/bot/limits.h"
#include "services/bot/transport/analysis_service.h"
#include "services/bot/transport/bot_service.h"
#include "services/bot/transport/rules_client.h"

namespace tarot::bot_service {

namespace {

// The members are constructed in this order, and destroyed in reverse order.
struct Instance final : rpc::Service {
  Instance(const Options& options, const rpc::Cells& cells, std::shared_ptr<rpc::ServiceKeys> keys,
           const rpc::Environment& environment)
      : registry(environment.registry),
        metrics(*registry),
        call_metrics(rpc::Side::kServer, *registry),
        client_calls(rpc::Side::kClient, *registry),
        identity(std::move(keys), environment.clock, *registry),
        chooser(metrics),
        workers(options.worker_threads, kWorkerQueueMax, kWorkerNice),
        analysis_workers(kAnalysisThreads, kAnalysesMax, kAnalysisNice),
        analyses(analysis_workers, kAnalysisSlots, environment.clock, metrics),
        dispatcher(environment.clock, workers, identity, call_metrics),
        bot_service(chooser, dispatcher),
        rules(cells, identity, client_calls),
        analysis_service(analyses, rules, dispatcher) {
    call_metrics.Register({"tarot.bot.v1.BotService", "tarot.bot.v1.AnalysisService"});
    client_calls.Register({"tarot.rules.v1.TableService", "tarot.rules.v1.RecordService"});
  }
  ~Instance() override { Shutdown(); }

  int port() const override { return server->port(); }

  void AnnounceShutdown() override { server->AnnounceShutdown(); }

  // First ends the analyses, because the server waits for their streams. Then cancels the calls to
  // rules, because other streams wait for the answers of rules. Stops the workers last, because the
  // server's calls need them.
  void Shutdown() override {
    analyses.Stop();
    rules.Stop();
    if (server != nullptr) server->Shutdown();
    workers.Stop();
    analysis_workers.Stop();
  }

  std::shared_ptr<prometheus::Registry> registry;
  Metrics metrics;
  rpc::CallMetrics call_metrics;
  rpc::CallMetrics client_calls;
  rpc::Authenticator identity;
  Chooser chooser;
  ThreadWorkerPool workers;
  ThreadWorkerPool analysis_workers;
  AnalysisQueue analyses;
  rpc::Dispatcher dispatcher;
  BotServiceImpl bot_service;
  GrpcRulesClient rules;
  AnalysisServiceImpl analysis_service;
  std::unique_ptr<rpc::Server> server;
};

}  // namespace

absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment) {
  TAROT_ASSIGN_OR_RETURN(std::shared_ptr<rpc::ServiceKeys> keys,
                         rpc::OpenServiceKeys("bot", options));
  TAROT_ASSIGN_OR_RETURN(const rpc::Cells cells, rpc::ParseCells(options.rules_address));
  auto instance = std::make_unique<Instance>(options, cells, std::move(keys), environment);
  TAROT_ASSIGN_OR_RETURN(instance->server,
                         rpc::Server::Start({.address = options.listen_address},
                                            {&instance->bot_service, &instance->analysis_service}));
  instance->server->WatchThreads(environment.scheduler, {&instance->workers});
  return instance;
}

}  // namespace tarot::bot_service
