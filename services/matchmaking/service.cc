#include "services/matchmaking/service.h"

#include <atomic>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/worker_pool.h"
#include "libs/cluster/replica.h"
#include "libs/obs/log.h"
#include "libs/pg/migrate.h"
#include "libs/pg/schema_check.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/cells.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/server.h"
#include "migrations/matchmaking_migrations.h"
#include "services/matchmaking/app/cell_chooser.h"
#include "services/matchmaking/app/executor.h"
#include "services/matchmaking/app/friend_service.h"
#include "services/matchmaking/app/lobby.h"
#include "services/matchmaking/app/population_job.h"
#include "services/matchmaking/app/queue_catalog.h"
#include "services/matchmaking/app/room_service.h"
#include "services/matchmaking/app/seen_players.h"
#include "services/matchmaking/app/table_placer.h"
#include "services/matchmaking/app/ticket_service.h"
#include "services/matchmaking/app/wave_job.h"
#include "services/matchmaking/limits.h"
#include "services/matchmaking/metrics.h"
#include "services/matchmaking/storage/pg_player_store.h"
#include "services/matchmaking/storage/pg_room_store.h"
#include "services/matchmaking/storage/pg_ticket_store.h"
#include "services/matchmaking/storage/pool.h"
#include "services/matchmaking/transport/friend_service.h"
#include "services/matchmaking/transport/matchmaking_service.h"
#include "services/matchmaking/transport/room_service.h"
#include "services/matchmaking/transport/upstream_clients.h"

namespace tarot::matchmaking_service {
namespace {

void LogFailure(absl::string_view what, const absl::Status& status) {
  obs::Log(obs::Level::kWarning, "background job failed",
           {{"job", what},
            {"code", absl::StatusCodeToString(status.code())},
            {"reason", GetErrorDetails(status).reason},
            {"why", status.message()}});
}

cluster::Replica::Callbacks CountInto(Metrics& metrics) {
  return {.on_heartbeat =
              [&metrics](const cluster::HeartbeatNews& news) {
                metrics.heartbeats.Increment();
                metrics.nodes.Set(static_cast<double>(news.nodes->size()));
                if (!news.changed) return;
                obs::Log(obs::Level::kInfo, "replicas changed",
                         {{"count", absl::StrCat(news.nodes->size())}});
              },
          .on_failed = [&metrics](const absl::Status&) { metrics.heartbeats_failed.Increment(); }};
}

// Returns the cells that get new tables.
std::vector<int> OpenCells(const rpc::Cells& cells) {
  std::vector<int> open;
  for (const auto& [number, cell] : cells) {
    if (cell.open) open.push_back(number);
  }
  return open;
}

// Members are constructed in this order and destroyed in reverse.
struct Instance final : rpc::Service {
  Instance(const Options& options, const rpc::Cells& cells, const rpc::Environment& environment,
           std::shared_ptr<rpc::ServiceKeys> keys)
      : clock(environment.clock),
        entropy(environment.entropy),
        registry(environment.registry),
        metrics(*registry),
        // One connection is for the background thread.
        pool(MakePool(options.dsn, options.worker_threads + 1, *registry)),
        store(MakePgTicketStore(pool)),
        room_store(MakePgRoomStore(pool)),
        player_store(MakePgPlayerStore(pool)),
        authenticator(std::move(keys), clock, *registry),
        client_metrics(rpc::Side::kClient, *registry),
        rating_client(rpc::MakeServiceChannel("ratings", options.ratings_address), authenticator,
                      client_metrics, clock),
        table_client(cells, authenticator, client_metrics, clock),
        replica("matchmaking", options.dsn, authenticator, environment, CountInto(metrics)),
        background(1, kBackgroundQueueMax),
        executor(environment.scheduler, background),
        catalog(*store, static_cast<std::size_t>(options.population)),
        lobby(clock),
        cell_chooser(OpenCells(cells), metrics),
        placer(clock, executor, *store, table_client, cell_chooser, lobby, metrics, LogFailure,
               hosts),
        waves(clock, executor, entropy, *store, rating_client, placer, cell_chooser, lobby, metrics,
              LogFailure, hosts, catalog),
        population(clock, executor, entropy, *store, LogFailure, hosts, catalog),
        tickets(clock, entropy, *store, lobby, catalog, table_client),
        seen(clock, *player_store),
        rooms(clock, entropy, *room_store, *player_store, seen, catalog, executor, placer,
              cell_chooser, tickets, metrics, LogFailure, hosts),
        friends(clock, *player_store, seen, catalog, table_client),
        call_metrics(rpc::Side::kServer, *registry),
        workers(options.worker_threads, kWorkerQueueMax),
        dispatcher(clock, workers, authenticator, call_metrics),
        matchmaking_service(MakeMatchmakingService(tickets, rooms, dispatcher)),
        room_service(MakeRoomService(rooms, dispatcher)),
        friend_service(MakeFriendService(friends, dispatcher)),
        admin_service(MakeMatchmakingAdminService(tickets, catalog, rooms, friends, dispatcher)) {
    call_metrics.Register({"tarot.matchmaking.v1.MatchmakingService",
                           "tarot.matchmaking.v1.RoomService", "tarot.matchmaking.v1.FriendService",
                           "tarot.matchmaking.v1.MatchmakingAdminService"});
  }
  ~Instance() override { Shutdown(); }

  int port() const override { return server->port(); }

  void AnnounceShutdown() override { server->AnnounceShutdown(); }

  // Returns true if this replica has joined the list and its heartbeats reach the database.
  bool Ready() const { return joined && replica.Fresh(); }

  void Shutdown() override {
    executor.Stop();  // After this line, this replica makes no tables.
    if (joined) replica.Leave();
    // These calls end the open streams. If the streams stayed open, the server would wait for them
    // until its time limit.
    matchmaking_service->EndWatches();
    room_service->EndWatches();
    if (server != nullptr) server->Shutdown();
    background.Stop();  // After this line, no answer of another service starts a task.
    rating_client.Stop();
    table_client.Stop();
    replica.Stop();
  }

  Clock& clock;
  Entropy& entropy;
  std::shared_ptr<prometheus::Registry> registry;
  Metrics metrics;
  const std::shared_ptr<pg::Pool> pool;
  std::unique_ptr<TicketStore> store;
  std::unique_ptr<RoomStore> room_store;
  std::unique_ptr<PlayerStore> player_store;
  rpc::Authenticator authenticator;
  rpc::CallMetrics client_metrics;
  GrpcRatingClient rating_client;
  GrpcTableClient table_client;
  cluster::Replica replica;
  const Hosts hosts = [this](const std::string& key) { return replica.Hosts(key); };
  ThreadWorkerPool background;
  Executor executor;
  QueueCatalog catalog;
  Lobby lobby;
  CellChooser cell_chooser;
  TablePlacer placer;
  WaveJob waves;
  PopulationJob population;
  TicketService tickets;
  SeenPlayers seen;
  RoomService rooms;
  FriendService friends;
  rpc::CallMetrics call_metrics;
  ThreadWorkerPool workers;
  rpc::Dispatcher dispatcher;
  std::unique_ptr<MatchmakingHandler> matchmaking_service;
  std::unique_ptr<MatchmakingHandler> room_service;
  std::unique_ptr<grpc::Service> friend_service;
  std::unique_ptr<grpc::Service> admin_service;
  std::unique_ptr<rpc::Server> server;
  std::atomic<bool> joined = false;
};

}  // namespace

absl::Status MigrateSchema(const Options& options) {
  return pg::Migrate(options.dsn, "matchmaking", Migrations());
}

rpc::StartCheck CheckStart(const Options& options) {
  return pg::CheckSchema(options.dsn, "matchmaking", Migrations());
}

absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment) {
  TAROT_ASSIGN_OR_RETURN(std::shared_ptr<rpc::ServiceKeys> keys,
                         rpc::OpenServiceKeys("matchmaking", options));
  if (options.population < 0) return BadRequest("population", "must not be negative");
  TAROT_ASSIGN_OR_RETURN(const rpc::Cells cells, rpc::ParseCells(options.rules_address));
  if (OpenCells(cells).empty()) return BadRequest("rules_address", "must have an open cell");
  auto instance = std::make_unique<Instance>(options, cells, environment, std::move(keys));
  Instance& i = *instance;
  TAROT_RETURN_IF_ERROR(i.catalog.Refresh());
  TAROT_ASSIGN_OR_RETURN(
      i.server, rpc::Server::Start(
                    {.address = options.listen_address, .ready = [&i] { return i.Ready(); }},
                    {&i.matchmaking_service->service(), &i.room_service->service(),
                     i.friend_service.get(), i.admin_service.get(), &i.replica.ping_service()}));
  i.server->WatchThreads(environment.scheduler, {&i.workers, &i.background});
  TAROT_ASSIGN_OR_RETURN(const std::string address,
                         cluster::AdvertisedAddress(options.advertise_address,
                                                    options.listen_address, i.server->port()));
  i.replica.UseAddress(address);
  TAROT_RETURN_IF_ERROR(i.replica.Join(*i.server));
  i.joined = true;
  i.cell_chooser.Start(i.executor, i.table_client);
  i.waves.Start();
  i.population.Start();
  i.rooms.Start();
  return instance;
}

}  // namespace tarot::matchmaking_service
