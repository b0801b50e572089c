#include "services/rules/service.h"

#include <google/protobuf/descriptor.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/base/status_macros.h"
#include "libs/base/worker_pool.h"
#include "libs/obs/log.h"
#include "libs/pg/migrate.h"
#include "libs/pg/pool.h"
#include "libs/rpc/channel.h"
#include "libs/rpc/server.h"
#include "migrations/rules_migrations.h"
#include "services/rules/app/housekeeping.h"
#include "services/rules/app/outbox_relay.h"
#include "services/rules/app/turn_driver.h"
#include "services/rules/storage/append_batch.h"
#include "services/rules/storage/pg_table_store.h"
#include "services/rules/transport/admin_service_impl.h"
#include "services/rules/transport/peer_clients.h"
#include "services/rules/transport/referee_service_impl.h"
#include "services/rules/transport/table_feed_service_impl.h"
#include "services/rules/transport/table_service_impl.h"

namespace tarot::rules_service {

// In the order of construction; destroyed the other way round.
struct Service::Parts {
  Parts(const Options& options, rpc::KeyRing keys, Clock& clock, Scheduler& timer, Entropy& entropy,
        prometheus::Registry& registry)
      : metrics(registry),
        call_metrics(rpc::Side::kServer, registry),
        client_metrics(rpc::Side::kClient, registry),
        identity(std::move(keys), clock),
        pool({.dsn = options.dsn,
              .connections = options.worker_threads,
              .application_name = "tarot-rules"},
             PgTableStore::Statements(), registry),
        append_pool({.dsn = options.dsn,
                     .connections = options.append_connections,
                     .application_name = "tarot-rules-append",
                     .session_sql = kAppendSession},
                    AppendStatements(), registry),
        store(pool, append_pool),
        tables_in_memory(store, options.tables_open_max, clock.Now()),
        scheduler(timer),
        append_threads(options.append_threads, options.append_connections + 1),
        appender(store, append_threads, clock, scheduler, metrics,
                 {.batches_max = options.append_connections,
                  .batch_rows_max = options.append_batch_rows_max,
                  .company_wait_max = options.append_company_wait_max}),
        workers(options.worker_threads, options.worker_queue_size_max),
        tables(store, appender, tables_in_memory, workers, clock, entropy, metrics),
        records(store),
        bots(rpc::MakeChannel(options.bot_address), identity, client_metrics, options.bot_timeout),
        ratings(rpc::MakeChannel(options.ratings_address), identity, client_metrics),
        matchmaking(rpc::MakeChannel(options.matchmaking_address), identity, client_metrics),
        driver(tables, bots, workers, clock, scheduler, entropy, metrics,
               {.bot_delay = options.bot_delay,
                .deal_pause = options.deal_pause,
                .bots_only_delay = options.bots_only_delay}),
        relay(store, ratings, matchmaking, workers, scheduler, metrics, options.outbox_interval),
        housekeeping(tables_in_memory, clock, scheduler, metrics, options.forget_finished_after),
        dispatcher(clock, workers, identity, call_metrics),
        table_service(tables, store, dispatcher, metrics),
        feed_service(tables, dispatcher, scheduler, metrics),
        admin_service(tables, dispatcher),
        record_service(records, dispatcher),
        referee_service(dispatcher) {}

  Metrics metrics;
  rpc::CallMetrics call_metrics;
  rpc::CallMetrics client_metrics;
  rpc::Authenticator identity;
  pg::Pool pool;
  pg::Pool append_pool;
  PgTableStore store;
  TableRegistry tables_in_memory;
  ScopedScheduler scheduler;
  ThreadWorkerPool append_threads;
  GroupAppender appender;
  ThreadWorkerPool workers;
  TableService tables;
  RecordService records;
  GrpcBotClient bots;
  GrpcRatingSink ratings;
  GrpcMatchmakingSink matchmaking;
  TurnDriver driver;
  OutboxRelay relay;
  Housekeeping housekeeping;
  rpc::Dispatcher dispatcher;
  TableServiceImpl table_service;
  TableFeedServiceImpl feed_service;
  TableAdminServiceImpl admin_service;
  RecordServiceImpl record_service;
  RefereeServiceImpl referee_service;
  std::unique_ptr<rpc::Server> server;

  ~Parts() { Stop(); }  // Before any member goes, also when Start failed halfway.

  // Takes up every table that was in play when the last process ended.
  absl::Status Recover() {
    TAROT_ASSIGN_OR_RETURN(const std::vector<TableId> live, store.ListLive());
    for (const TableId table : live) driver.Wake(table);
    return absl::OkStatus();
  }

  // From the outside in: no new calls, no timers, no answers of peers, then no work.
  void Stop() {
    tables_in_memory.EndWatchers();
    feed_service.EndFeeds();
    if (server != nullptr) server->Shutdown();
    scheduler.Stop();
    bots.Stop();
    ratings.Stop();
    matchmaking.Stop();
    workers.Stop();
    append_threads.Stop();  // Last: it stores, and answers, what those before it began.
  }
};

Service::Service(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Service::~Service() { Shutdown(); }
int Service::port() const { return parts_->server->port(); }
void Service::Shutdown() { parts_->Stop(); }

absl::StatusOr<std::unique_ptr<Service>> Service::Start(
    const Options& options, Clock& clock, Scheduler& scheduler, Entropy& entropy,
    std::shared_ptr<prometheus::Registry> registry) {
  TAROT_RETURN_IF_ERROR(pg::Migrate(options.dsn, "rules", Migrations()));
  TAROT_ASSIGN_OR_RETURN(rpc::KeyRing keys, rpc::KeyRing::FromFile(options.internal_key_file));
  auto parts =
      std::make_unique<Parts>(options, std::move(keys), clock, scheduler, entropy, *registry);
  Parts& p = *parts;
  for (const char* service :
       {"TableService", "RecordService", "TableAdminService", "TableFeedService",
        "RefereeService"}) {
    p.call_metrics.Register(*google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(
        absl::StrCat("tarot.rules.v1.", service)));
  }
  p.tables.set_on_changed(
      [&p](std::shared_ptr<const TableState> state) { p.driver.OnChanged(std::move(state)); });
  p.tables.set_on_doubt([&p](TableId table) { p.driver.OnDoubt(table); });
  TAROT_ASSIGN_OR_RETURN(p.server, rpc::Server::Start({.address = options.listen_address},
                                                      {&p.table_service, &p.feed_service,
                                                       &p.admin_service, &p.record_service,
                                                       &p.referee_service}));
  TAROT_RETURN_IF_ERROR(p.Recover());
  p.relay.Start();
  p.housekeeping.Start();
  p.feed_service.Start();
  return std::unique_ptr<Service>(new Service(std::move(parts)));
}

}  // namespace tarot::rules_service
