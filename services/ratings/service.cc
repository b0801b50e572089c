#include "services/ratings/service.h"

#include <atomic>
#include <cstdint>
#include <utility>

#include "libs/base/error.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/base/worker_pool.h"
#include "libs/pg/migrate.h"
#include "libs/pg/schema_check.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/server.h"
#include "migrations/ratings_migrations.h"
#include "services/ratings/app/account_admin.h"
#include "services/ratings/app/ladder_admin.h"
#include "services/ratings/app/player_admin.h"
#include "services/ratings/app/rating_service.h"
#include "services/ratings/app/season_cache.h"
#include "services/ratings/limits.h"
#include "services/ratings/metrics.h"
#include "services/ratings/storage/pg_account_store.h"
#include "services/ratings/storage/pg_rating_store.h"
#include "services/ratings/transport/rating_service.h"

namespace tarot::ratings_service {
namespace {

// Members are constructed in this order and destroyed in reverse.
struct Instance final : rpc::Service {
  Instance(const Options& options, std::shared_ptr<rpc::ServiceKeys> keys,
           const rpc::Environment& environment)
      : clock(environment.clock),
        registry(environment.registry),
        metrics(*registry),
        store(MakePgRatingStore(options.dsn, options.worker_threads, *registry)),
        seasons(*store, environment.clock),
        ratings(*store, seasons, environment.clock, metrics, options.place_deviation_max),
        ladders(*store, seasons, environment.clock),
        players(*store, environment.clock),
        account_store(MakePgAccountStore(options.dsn, kAccountConnections, *registry)),
        accounts(*account_store, {.rounds = kHashRounds, .kibibytes = kHashKibibytes},
                 environment.clock, environment.entropy),
        call_metrics(rpc::Side::kServer, *registry),
        authenticator(std::move(keys), environment.clock, *registry),
        workers(options.worker_threads, kWorkerQueueMax),
        account_workers(kAccountThreads, kAccountQueueMax, kAccountNice),
        scheduler(environment.scheduler),
        dispatcher(environment.clock, workers, authenticator, call_metrics),
        account_dispatcher(environment.clock, account_workers, authenticator, call_metrics),
        rating_service(MakeRatingService(ratings, dispatcher)),
        ingest_service(MakeRatingIngestService(ratings, dispatcher)),
        player_service(MakePlayerAdminService(players, dispatcher)),
        ladder_service(MakeLadderAdminService(ladders, dispatcher)),
        account_service(MakeAccountAdminService(accounts, dispatcher, account_dispatcher)) {
    call_metrics.Register({"tarot.ratings.v1.RatingService", "tarot.ratings.v1.RatingIngestService",
                           "tarot.ratings.v1.PlayerAdminService",
                           "tarot.ratings.v1.LadderAdminService",
                           "tarot.ratings.v1.AccountAdminService"});
  }
  ~Instance() override { Shutdown(); }

  int port() const override { return server->port(); }

  void AnnounceShutdown() override { server->AnnounceShutdown(); }

  // Returns true if the database has answered lately. This service asks the database every
  // kPlacesAgeMax.
  bool Ready() const { return clock.Now() - absl::FromUnixMillis(answered_ms) < kAnswerAgeMax; }

  void Shutdown() override {
    if (server != nullptr) server->Shutdown();
    scheduler.Stop();
    workers.Stop();
    account_workers.Stop();
  }

  Clock& clock;
  std::shared_ptr<prometheus::Registry> registry;
  Metrics metrics;
  std::unique_ptr<RatingStore> store;
  SeasonCache seasons;
  RatingService ratings;
  LadderAdmin ladders;
  PlayerAdmin players;
  std::unique_ptr<AccountStore> account_store;
  AccountAdmin accounts;
  rpc::CallMetrics call_metrics;
  rpc::Authenticator authenticator;
  ThreadWorkerPool workers;
  ThreadWorkerPool account_workers;
  ScopedScheduler scheduler;
  rpc::Dispatcher dispatcher;
  rpc::Dispatcher account_dispatcher;
  std::unique_ptr<grpc::Service> rating_service;
  std::unique_ptr<grpc::Service> ingest_service;
  std::unique_ptr<grpc::Service> player_service;
  std::unique_ptr<grpc::Service> ladder_service;
  std::unique_ptr<grpc::Service> account_service;
  // The time when the database last answered a read of the places, in Unix time.
  std::atomic<std::int64_t> answered_ms = 0;
  std::unique_ptr<rpc::Server> server;

  absl::Status RefreshPlaces() {
    TAROT_RETURN_IF_ERROR(ratings.RefreshPlaces());
    answered_ms = absl::ToUnixMillis(clock.Now());
    return absl::OkStatus();
  }

  absl::Status CountPlayers() {
    TAROT_ASSIGN_OR_RETURN(const std::int64_t count, store->CountPlayers());
    metrics.players.Set(static_cast<double>(count));
    return absl::OkStatus();
  }

  // Counts the players every kPlayerCountInterval, because other replicas also rate new players.
  void KeepCounting() {
    scheduler.After(kPlayerCountInterval, [this] {
      // If this count fails, the next count may succeed.
      workers.TryRun([this] { (void)CountPlayers(); });
      KeepCounting();
    });
  }

  // Other replicas also rate matches, so the places change even if this replica gets no call.
  void KeepRefreshingPlaces() {
    scheduler.After(kPlacesAgeMax, [this] {
      // If this read fails, the next read returns the same changes.
      workers.TryRun([this] { (void)RefreshPlaces(); });
      KeepRefreshingPlaces();
    });
  }

  void KeepRemovingRevocations() {
    scheduler.After(kRevocationRemovalInterval, [this] {
      workers.TryRun([this] { (void)players.RemoveExpired(); });
      KeepRemovingRevocations();
    });
  }
};

}  // namespace

absl::Status MigrateSchema(const Options& options) {
  return pg::Migrate(options.dsn, "ratings", Migrations());
}

rpc::StartCheck CheckStart(const Options& options) {
  return pg::CheckSchema(options.dsn, "ratings", Migrations());
}

absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment) {
  if (!(options.place_deviation_max > 0 && options.place_deviation_max < kPriorDeviation)) {
    return BadRequest("place_deviation_max",
                      "must be above 0 and below 300, the uncertainty of a new player's rating");
  }
  TAROT_ASSIGN_OR_RETURN(std::shared_ptr<rpc::ServiceKeys> keys,
                         rpc::OpenServiceKeys("ratings", options));
  auto instance = std::make_unique<Instance>(options, std::move(keys), environment);
  TAROT_RETURN_IF_ERROR(instance->CountPlayers());
  // The server starts only after the first read of all places, so that no call waits for this read.
  // In the meantime, the other replicas answer.
  TAROT_RETURN_IF_ERROR(instance->RefreshPlaces());
  TAROT_ASSIGN_OR_RETURN(
      instance->server,
      rpc::Server::Start(
          {.address = options.listen_address, .ready = [i = instance.get()] { return i->Ready(); }},
          {instance->rating_service.get(), instance->ingest_service.get(),
           instance->player_service.get(), instance->ladder_service.get(),
           instance->account_service.get()}));
  instance->server->WatchThreads(environment.scheduler, {&instance->workers});
  instance->KeepCounting();
  instance->KeepRefreshingPlaces();
  instance->KeepRemovingRevocations();
  return instance;
}

}  // namespace tarot::ratings_service
