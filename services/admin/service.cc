#include "services/admin/service.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "libs/base/error.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/base/worker_pool.h"
#include "libs/pg/migrate.h"
#include "libs/pg/schema_check.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/cells.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/server.h"
#include "migrations/admin_migrations.h"
#include "services/admin/app/audit_log.h"
#include "services/admin/limits.h"
#include "services/admin/metrics.h"
#include "services/admin/storage/pg_admin_store.h"
#include "services/admin/transport/admin_service.h"

namespace tarot::admin_service {
namespace {

std::map<int, std::shared_ptr<grpc::Channel>> RulesChannels(const rpc::Cells& cells) {
  std::map<int, std::shared_ptr<grpc::Channel>> channels;
  for (const auto& [number, cell] : cells) {
    channels[number] = rpc::MakeServiceChannel("rules", cell.addresses);
  }
  return channels;
}

// Members are constructed in this order and destroyed in reverse.
struct Instance final : rpc::Service {
  Instance(const Options& options, const rpc::Cells& cells,
           std::shared_ptr<rpc::ServiceKeys> operator_keys,
           std::shared_ptr<rpc::ServiceKeys> internal_keys, const rpc::Environment& environment)
      : clock(environment.clock),
        registry(environment.registry),
        metrics(*registry),
        call_metrics(rpc::Side::kServer, *registry),
        client_metrics(rpc::Side::kClient, *registry),
        operators(std::move(operator_keys), environment.clock, *registry),
        identity(std::move(internal_keys), environment.clock),
        store(MakePgAdminStore(options.dsn, options.worker_threads, *registry)),
        upstreams(
            {.rules = RulesChannels(cells),
             .matchmaking = rpc::MakeServiceChannel("matchmaking", options.matchmaking_address),
             .ratings = rpc::MakeServiceChannel("ratings", options.ratings_address)},
            identity, client_metrics),
        audit(*store, metrics),
        database(options.dsn, "admin", Migrations(), *registry),
        workers(options.worker_threads, kWorkerQueueMax),
        database_worker(1, 1),
        scheduler(environment.scheduler),
        dispatcher(environment.clock, workers, operators, call_metrics),
        admin_service(MakeAdminService(audit, *store, upstreams, environment.clock,
                                       environment.scheduler, dispatcher)) {
    call_metrics.Register({"tarot.admin.v1.AdminService"});
  }
  ~Instance() override { Shutdown(); }

  int port() const override { return server->port(); }

  void AnnounceShutdown() override { server->AnnounceShutdown(); }

  // Returns whether the database answered lately.
  bool Ready() const { return clock.Now() - absl::FromUnixMillis(answered_ms) < kAnswerAgeMax; }

  // Cancels the calls to other services first, so that the calls of operators end.
  void Shutdown() override {
    upstreams.Stop();
    if (server != nullptr) server->Shutdown();
    scheduler.Stop();
    database_worker.Stop();
    workers.Stop();
  }

  Clock& clock;
  std::shared_ptr<prometheus::Registry> registry;
  Metrics metrics;
  rpc::CallMetrics call_metrics;
  rpc::CallMetrics client_metrics;
  rpc::Authenticator operators;  // Checks the tokens of incoming calls.
  rpc::Authenticator identity;   // Signs the calls to other services.
  std::unique_ptr<AdminStore> store;
  Upstreams upstreams;
  AuditLog audit;
  pg::SchemaCheck database;
  ThreadWorkerPool workers;
  ThreadWorkerPool database_worker;  // Checks the database, even while all workers are busy.
  ScopedScheduler scheduler;
  rpc::Dispatcher dispatcher;
  std::unique_ptr<grpc::Service> admin_service;
  // When the database last answered, in Unix time.
  std::atomic<std::int64_t> answered_ms = 0;
  std::unique_ptr<rpc::Server> server;

  absl::Status AskDatabase() {
    TAROT_RETURN_IF_ERROR(database.Check());
    answered_ms = absl::ToUnixMillis(clock.Now());
    return absl::OkStatus();
  }

  void KeepAskingDatabase() {
    scheduler.After(kDatabaseCheckInterval, [this] {
      // Ignores an error, because the next check may succeed.
      database_worker.TryRun([this] { (void)AskDatabase(); });
      KeepAskingDatabase();
    });
  }
};

}  // namespace

absl::Status MigrateSchema(const Options& options) {
  return pg::Migrate(options.dsn, "admin", Migrations());
}

rpc::StartCheck CheckStart(const Options& options) {
  return pg::CheckSchema(options.dsn, "admin", Migrations());
}

absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment) {
  TAROT_ASSIGN_OR_RETURN(
      std::shared_ptr<rpc::ServiceKeys> operator_keys,
      rpc::ServiceKeys::Open({.service = "admin", .shared = options.operator_key_file}));
  TAROT_ASSIGN_OR_RETURN(std::shared_ptr<rpc::ServiceKeys> internal_keys,
                         rpc::OpenServiceKeys("admin", options));
  TAROT_ASSIGN_OR_RETURN(const rpc::Cells cells, rpc::ParseCells(options.rules_address));
  auto instance = std::make_unique<Instance>(options, cells, std::move(operator_keys),
                                             std::move(internal_keys), environment);
  TAROT_RETURN_IF_ERROR(instance->AskDatabase());
  TAROT_ASSIGN_OR_RETURN(instance->server,
                         rpc::Server::Start({.address = options.listen_address,
                                             .ready = [i = instance.get()] { return i->Ready(); }},
                                            {instance->admin_service.get()}));
  // The check of liveness leaves out `workers`, because a worker may wait for a recomputation of
  // all ratings until kRecomputeTimeout.
  instance->server->WatchThreads(environment.scheduler, {&instance->database_worker});
  instance->KeepAskingDatabase();
  return instance;
}

}  // namespace tarot::admin_service
