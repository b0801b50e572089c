#include "services/ratings/service.h"

#include <utility>

#include "libs/base/error.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/base/status_macros.h"
#include "libs/base/worker_pool.h"
#include "libs/pg/migrate.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/server.h"
#include "migrations/ratings_migrations.h"
#include "services/ratings/app/rating_service.h"
#include "services/ratings/metrics.h"
#include "services/ratings/storage/pg_rating_store.h"
#include "services/ratings/transport/rating_service.h"
#include "tarot/ratings/v1/rating_ingest_service.pb.h"
#include "tarot/ratings/v1/rating_service.pb.h"

namespace tarot::ratings_service {
namespace {

constexpr double kPriorDeviation = 300;
constexpr absl::Duration kCountEvery = absl::Seconds(30);

}  // namespace

// In the order of their dependence: destroyed from the last to the first.
struct Service::Dependencies {
  Dependencies(const Options& options, Clock& clock, Scheduler& main_scheduler, rpc::KeyRing keys,
               std::shared_ptr<prometheus::Registry> shared_registry)
      : registry(std::move(shared_registry)),
        metrics(*registry),
        store(MakePgRatingStore(options.dsn, options.worker_threads, *registry)),
        ratings(*store, clock, metrics, options.place_deviation_max),
        call_metrics(rpc::Side::kServer, *registry),
        authenticator(std::move(keys), clock),
        workers(options.worker_threads, options.worker_queue_size_max),
        scheduler(main_scheduler),
        dispatcher(clock, workers, authenticator, call_metrics),
        rating_service(MakeRatingService(ratings, dispatcher)),
        ingest_service(MakeRatingIngestService(ratings, dispatcher)) {
    call_metrics.Register(*tarot::ratings::v1::GetRatingRequest::descriptor()->file()->service(0));
    call_metrics.Register(
        *tarot::ratings::v1::RecordMatchRequest::descriptor()->file()->service(0));
  }

  std::shared_ptr<prometheus::Registry> registry;
  Metrics metrics;
  std::unique_ptr<RatingStore> store;
  RatingService ratings;
  rpc::CallMetrics call_metrics;
  rpc::Authenticator authenticator;
  ThreadWorkerPool workers;
  ScopedScheduler scheduler;
  rpc::Dispatcher dispatcher;
  std::unique_ptr<grpc::Service> rating_service;
  std::unique_ptr<grpc::Service> ingest_service;
  std::unique_ptr<rpc::Server> server;

  absl::Status CountPlayers() {
    TAROT_ASSIGN_OR_RETURN(const std::int64_t count, store->CountPlayers());
    metrics.players.Set(static_cast<double>(count));
    return absl::OkStatus();
  }

  // Counts again every 30 seconds, because other replicas rate new players too.
  void KeepCounting() {
    scheduler.After(kCountEvery, [this] {
      workers.TryRun([this] { (void)CountPlayers(); });  // On failure, the next count may succeed.
      KeepCounting();
    });
  }
};

Service::Service(std::unique_ptr<Dependencies> dependencies)
    : dependencies_(std::move(dependencies)) {}
Service::~Service() { Shutdown(); }
int Service::port() const { return dependencies_->server->port(); }
void Service::Shutdown() {
  dependencies_->server->Shutdown();
  dependencies_->scheduler.Stop();
  dependencies_->workers.Stop();
}

absl::StatusOr<std::unique_ptr<Service>> Service::Start(
    const Options& options, Clock& clock, Scheduler& scheduler, Entropy&,
    std::shared_ptr<prometheus::Registry> registry) {
  if (!(options.place_deviation_max > 0 && options.place_deviation_max < kPriorDeviation)) {
    return BadRequest("place_deviation_max", "must be between 0 and the prior's 300");
  }
  TAROT_ASSIGN_OR_RETURN(rpc::KeyRing keys, rpc::KeyRing::FromFile(options.internal_key_file));
  TAROT_RETURN_IF_ERROR(pg::Migrate(options.dsn, "ratings", Migrations()));
  auto dependencies = std::make_unique<Dependencies>(options, clock, scheduler, std::move(keys),
                                                     std::move(registry));
  TAROT_RETURN_IF_ERROR(dependencies->CountPlayers());
  TAROT_ASSIGN_OR_RETURN(
      dependencies->server,
      rpc::Server::Start({.address = options.listen_address},
                         {dependencies->rating_service.get(), dependencies->ingest_service.get()}));
  dependencies->KeepCounting();
  return std::unique_ptr<Service>(new Service(std::move(dependencies)));
}

}  // namespace tarot::ratings_service
