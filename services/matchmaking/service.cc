#include "services/matchmaking/service.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/base/worker_pool.h"
#include "libs/obs/log.h"
#include "libs/pg/migrate.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/channel.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/server.h"
#include "libs/rules/parameters/rule_set.h"
#include "migrations/matchmaking_migrations.h"
#include "services/matchmaking/app/jobs.h"
#include "services/matchmaking/app/lobby.h"
#include "services/matchmaking/app/population_job.h"
#include "services/matchmaking/app/seating.h"
#include "services/matchmaking/app/table_placer.h"
#include "services/matchmaking/app/ticket_service.h"
#include "services/matchmaking/app/wave_job.h"
#include "services/matchmaking/metrics.h"
#include "services/matchmaking/replica.h"
#include "services/matchmaking/storage/pg_ticket_store.h"
#include "services/matchmaking/transport/grpc_rating_client.h"
#include "services/matchmaking/transport/grpc_table_client.h"
#include "services/matchmaking/transport/matchmaking_admin_service_impl.h"
#include "services/matchmaking/transport/matchmaking_service_impl.h"

namespace tarot::matchmaking_service {
namespace {

constexpr int kBackgroundQueueMax = 4096;

void LogFailure(absl::string_view what, const absl::Status& status) {
  obs::Log(obs::Level::kWarning, "background job failed",
           {{"job", what},
            {"code", absl::StatusCodeToString(status.code())},
            {"reason", GetErrorDetails(status).reason},
            {"why", status.message()}});
}

absl::Status CheckQueues(const Options& options, const std::vector<Queue>& queues,
                         const std::vector<Bot>& bots) {
  const int roster = static_cast<int>(bots.size());
  if (options.population_size < 0 || options.population_size > roster) {
    return BadRequest("population_size", absl::StrCat("must be 0 to ", roster, ", the roster"));
  }
  const std::size_t fillers =
      Fillers(bots, static_cast<std::size_t>(options.population_size)).size();
  for (const Queue& queue : queues) {
    if (queue.bot_fill_delay > absl::ZeroDuration() &&
        fillers + 1 < static_cast<std::size_t>(queue.player_count)) {
      return BadRequest("population_size",
                        absl::StrCat("leaves ", fillers, " strong bots to fill ", queue.id));
    }
    const rules::NamedRuleSet* rule_set = rules::FindRuleSet(queue.rule_set);
    if (queue.ranked && rule_set != nullptr && rule_set->rules.scoring != rules::Scoring::kNormal) {
      return BadRequest("queues", absl::StrCat(queue.id, " is ranked, but plays the practice game ",
                                               queue.rule_set, ", whose scores cannot be rated"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

// What Start() finds out before it can build the rest.
struct Found {
  rpc::KeyRing keys;
  std::vector<Queue> queues;
  std::vector<Bot> bots;
};

// In the order of their dependence: destroyed from the last to the first.
struct Service::Parts {
  Parts(const Options& options, Clock& clock, Scheduler& scheduler, Entropy& entropy,
        std::shared_ptr<prometheus::Registry> shared_registry, std::unique_ptr<PgTicketStore> s,
        Found found)
      : registry(std::move(shared_registry)),
        metrics(*registry),
        store(std::move(s)),
        authenticator(std::move(found.keys), clock),
        client_metrics(rpc::Side::kClient, *registry),
        rating_client(rpc::MakeChannel(options.ratings_address), authenticator, client_metrics,
                      clock),
        table_client(rpc::MakeChannel(options.rules_address), authenticator, client_metrics, clock),
        background(1, kBackgroundQueueMax),
        jobs(scheduler, background),
        lobby(clock),
        placer(clock, jobs, *store, table_client, lobby, metrics, LogFailure, hosts, found.queues),
        waves(clock, jobs, entropy, *store, rating_client, placer, lobby, metrics, LogFailure,
              hosts, found.queues,
              Fillers(found.bots, static_cast<std::size_t>(options.population_size))),
        population(clock, jobs, entropy, *store, LogFailure, hosts, found.queues,
                   {found.bots.begin(), found.bots.begin() + options.population_size}),
        tickets(clock, entropy, *store, lobby, found.queues),
        call_metrics(rpc::Side::kServer, *registry),
        workers(options.worker_threads, options.worker_queue_size_max),
        dispatcher(clock, workers, authenticator, call_metrics),
        matchmaking_impl(tickets, dispatcher),
        admin_impl(tickets, dispatcher) {
    call_metrics.Register(*v1::GetTicketRequest::descriptor()->file()->service(0));
    call_metrics.Register(*v1::ReleaseTableRequest::descriptor()->file()->service(0));
  }

  std::shared_ptr<prometheus::Registry> registry;
  Metrics metrics;
  std::unique_ptr<PgTicketStore> store;
  rpc::Authenticator authenticator;
  rpc::CallMetrics client_metrics;
  GrpcRatingClient rating_client;
  GrpcTableClient table_client;
  std::unique_ptr<Replica> replica;  // From when the server has its port: before the first job.
  const Hosts hosts = [this](const std::string& key) { return replica->Hosts(key); };
  ThreadWorkerPool background;
  Jobs jobs;
  Lobby lobby;
  TablePlacer placer;
  WaveJob waves;
  PopulationJob population;
  TicketService tickets;
  rpc::CallMetrics call_metrics;
  ThreadWorkerPool workers;
  rpc::Dispatcher dispatcher;
  MatchmakingServiceImpl matchmaking_impl;
  MatchmakingAdminServiceImpl admin_impl;
  std::unique_ptr<rpc::Server> server;
};

Service::Service(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Service::~Service() { Shutdown(); }
int Service::port() const { return parts_->server->port(); }

void Service::Shutdown() {
  parts_->jobs.Stop();  // First our part in making tables, so that another replica takes it.
  if (parts_->replica != nullptr) parts_->replica->Leave();
  parts_->matchmaking_impl.EndWatches();  // Else they would last until the drain's end.
  parts_->server->Shutdown();
  parts_->background.Stop();  // No job runs any more: the clients' callbacks find nobody to call.
  parts_->rating_client.Stop();
  parts_->table_client.Stop();
  parts_->replica.reset();
}

absl::StatusOr<std::unique_ptr<Service>> Service::Start(
    const Options& options, Clock& clock, Scheduler& scheduler, Entropy& entropy,
    std::shared_ptr<prometheus::Registry> registry) {
  TAROT_ASSIGN_OR_RETURN(rpc::KeyRing keys, rpc::KeyRing::FromFile(options.internal_key_file));
  TAROT_RETURN_IF_ERROR(pg::Migrate(options.dsn, "matchmaking", Migrations()));
  auto store = std::make_unique<PgTicketStore>(
      pg::PoolOptions{.dsn = options.dsn,
                      .connections = options.worker_threads + 1,  // One for the background thread.
                      .application_name = "tarot-matchmaking"},
      *registry);
  TAROT_ASSIGN_OR_RETURN(std::vector<Queue> queues, store->ListQueues());
  TAROT_ASSIGN_OR_RETURN(std::vector<Bot> bots, store->ListBots());
  TAROT_RETURN_IF_ERROR(CheckQueues(options, queues, bots));
  auto parts = std::make_unique<Parts>(options, clock, scheduler, entropy, std::move(registry),
                                       std::move(store),
                                       Found{std::move(keys), std::move(queues), std::move(bots)});
  TAROT_ASSIGN_OR_RETURN(parts->server,
                         rpc::Server::Start({.address = options.listen_address},
                                            {&parts->matchmaking_impl, &parts->admin_impl}));
  TAROT_ASSIGN_OR_RETURN(const std::string address,
                         cluster::AdvertisedAddress(options.advertise_address,
                                                    options.listen_address, parts->server->port()));
  parts->replica = std::make_unique<Replica>(options.dsn, address, clock, scheduler, entropy,
                                             parts->metrics, *parts->registry);
  TAROT_RETURN_IF_ERROR(parts->replica->Start());
  parts->waves.Start();
  parts->population.Start();
  return std::unique_ptr<Service>(new Service(std::move(parts)));
}

}  // namespace tarot::matchmaking_service
