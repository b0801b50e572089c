#include "services/bot/service.h"

#include <google/protobuf/descriptor.h>

#include <utility>

#include "libs/base/status_macros.h"
#include "libs/base/worker_pool.h"
#include "libs/rpc/server.h"
#include "services/bot/transport/analysis_service.h"
#include "services/bot/transport/bot_service.h"

namespace tarot::bot_service {

// Members are constructed in this order and destroyed in reverse.
struct Service::Dependencies {
  Dependencies(const Options& options, rpc::KeyRing keys, Clock& clock,
               std::shared_ptr<prometheus::Registry> the_registry)
      : registry(std::move(the_registry)),
        metrics(*registry),
        call_metrics(rpc::Side::kServer, *registry),
        identity(std::move(keys), clock),
        chooser(metrics),
        workers(options.worker_threads, options.worker_queue_size_max),
        analysis_workers(options.analysis_threads, options.analyses_max),
        analyses(analysis_workers, options.analyses_max, metrics),
        dispatcher(clock, workers, identity, call_metrics),
        bot_service(chooser, dispatcher),
        analysis_service(analyses, dispatcher) {}

  std::shared_ptr<prometheus::Registry> registry;
  Metrics metrics;
  rpc::CallMetrics call_metrics;
  rpc::Authenticator identity;
  Chooser chooser;
  ThreadWorkerPool workers;
  ThreadWorkerPool analysis_workers;
  AnalysisQueue analyses;
  rpc::Dispatcher dispatcher;
  BotServiceImpl bot_service;
  AnalysisServiceImpl analysis_service;
  std::unique_ptr<rpc::Server> server;

  // Stops the calls first, then the workers.
  void Stop() {
    analyses.Stop();
    if (server != nullptr) server->Shutdown();
    workers.Stop();
    analysis_workers.Stop();
  }
};

Service::Service(std::unique_ptr<Dependencies> dependencies)
    : dependencies_(std::move(dependencies)) {}
Service::~Service() { Shutdown(); }
int Service::port() const { return dependencies_->server->port(); }
void Service::Shutdown() { dependencies_->Stop(); }

absl::StatusOr<std::unique_ptr<Service>> Service::Start(
    const Options& options, Clock& clock, Scheduler& /*scheduler*/, Entropy& /*entropy*/,
    std::shared_ptr<prometheus::Registry> registry) {
  TAROT_ASSIGN_OR_RETURN(rpc::KeyRing keys, rpc::KeyRing::FromFile(options.internal_key_file));
  auto dependencies =
      std::make_unique<Dependencies>(options, std::move(keys), clock, std::move(registry));
  for (const char* name : {"tarot.bot.v1.BotService", "tarot.bot.v1.AnalysisService"}) {
    dependencies->call_metrics.Register(
        *google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(name));
  }
  TAROT_ASSIGN_OR_RETURN(
      dependencies->server,
      rpc::Server::Start({.address = options.listen_address},
                         {&dependencies->bot_service, &dependencies->analysis_service}));
  return std::unique_ptr<Service>(new Service(std::move(dependencies)));
}

}  // namespace tarot::bot_service
