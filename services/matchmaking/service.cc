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

// Calls that wait for a worker. More are refused: their deadlines would pass in the queue.
constexpr int kWorkerQueueMax = 4'096;
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
  if (options.population < 0 || options.population > roster) {
    return BadRequest("population", absl::StrCat("must be 0 to ", roster, ", the roster"));
  }
  const std::size_t fillers = Fillers(bots, static_cast<std::size_t>(options.population)).size();
  for (const Queue& queue : queues) {
    if (queue.bot_fill_delay > absl::ZeroDuration() &&
        fillers + 1 < static_cast<std::size_t>(queue.player_count)) {
      return BadRequest("population",
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

// What Start() finds out before it can build the rest.
struct Found {
  rpc::KeyRing keys;
  std::vector<Queue> queues;
  std::vector<Bot> bots;
};

// Members are constructed in this order and destroyed in reverse.
struct Instance final : rpc::Service {
  Instance(const Options& options, const rpc::Environment& environment,
           std::unique_ptr<PgTicketStore> s, Found found)
      : clock(environment.clock),
        entropy(environment.entropy),
        registry(environment.registry),
        metrics(*registry),
        store(std::move(s)),
        authenticator(std::move(found.keys), clock),
        client_metrics(rpc::Side::kClient, *registry),
        rating_client(rpc::MakeChannel(options.ratings_address), authenticator, client_metrics,
                      clock),
        table_client(rpc::MakeChannel(options.rules_address), authenticator, client_metrics, clock),
        background(1, kBackgroundQueueMax),
        jobs(environment.scheduler, background),
        lobby(clock),
        placer(clock, jobs, *store, table_client, lobby, metrics, LogFailure, hosts, found.queues),
        waves(clock, jobs, entropy, *store, rating_client, placer, lobby, metrics, LogFailure,
              hosts, found.queues,
              Fillers(found.bots, static_cast<std::size_t>(options.population))),
        population(clock, jobs, entropy, *store, LogFailure, hosts, found.queues,
                   {found.bots.begin(), found.bots.begin() + options.population}),
        tickets(clock, entropy, *store, lobby, found.queues),
        call_metrics(rpc::Side::kServer, *registry),
        workers(options.worker_threads, kWorkerQueueMax),
        dispatcher(clock, workers, authenticator, call_metrics),
        matchmaking_impl(tickets, dispatcher),
        admin_impl(tickets, dispatcher) {
    call_metrics.Register({"tarot.matchmaking.v1.MatchmakingService",
                           "tarot.matchmaking.v1.MatchmakingAdminService"});
  }
  ~Instance() override { Shutdown(); }

  int port() const override { return server->port(); }

  void Shutdown() override {
    jobs.Stop();  // Another replica makes the tables from now on.
    if (replica != nullptr) replica->Leave();
    matchmaking_impl.EndWatches();  // They would last until the end of the drain.
    if (server != nullptr) server->Shutdown();
    background.Stop();  // After it, no client's callback starts a job.
    rating_client.Stop();
    table_client.Stop();
    replica.reset();
  }

  Clock& clock;
  Entropy& entropy;
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

}  // namespace

absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment) {
  TAROT_ASSIGN_OR_RETURN(rpc::KeyRing keys, rpc::KeyRing::FromFile(options.internal_key_file));
  TAROT_RETURN_IF_ERROR(pg::Migrate(options.dsn, "matchmaking", Migrations()));
  auto store = std::make_unique<PgTicketStore>(
      pg::PoolOptions{.dsn = options.dsn,
                      .connections = options.worker_threads + 1,  // One for the background thread.
                      .application_name = "tarot-matchmaking"},
      *environment.registry);
  TAROT_ASSIGN_OR_RETURN(std::vector<Queue> queues, store->ListQueues());
  TAROT_ASSIGN_OR_RETURN(std::vector<Bot> bots, store->ListBots());
  TAROT_RETURN_IF_ERROR(CheckQueues(options, queues, bots));
  auto instance =
      std::make_unique<Instance>(options, environment, std::move(store),
                                 Found{std::move(keys), std::move(queues), std::move(bots)});
  Instance& i = *instance;
  TAROT_ASSIGN_OR_RETURN(i.server, rpc::Server::Start({.address = options.listen_address},
                                                      {&i.matchmaking_impl, &i.admin_impl}));
  TAROT_ASSIGN_OR_RETURN(const std::string address,
                         cluster::AdvertisedAddress(options.advertise_address,
                                                    options.listen_address, i.server->port()));
  i.replica =
      std::make_unique<Replica>(options.dsn, address, environment.clock, environment.scheduler,
                                environment.entropy, i.metrics, *i.registry);
  TAROT_RETURN_IF_ERROR(i.replica->Start());
  i.waves.Start();
  i.population.Start();
  return instance;
}

}  // namespace tarot::matchmaking_service
