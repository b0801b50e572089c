#include "services/rules/service.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "libs/base/error.h"
#include "libs/base/key_file.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/base/worker_pool.h"
#include "libs/cluster/membership.h"
#include "libs/cluster/replica.h"
#include "libs/dealing/secret_box.h"
#include "libs/obs/log.h"
#include "libs/pg/migrate.h"
#include "libs/pg/pool.h"
#include "libs/pg/schema_check.h"
#include "libs/rpc/call.h"
#include "libs/rpc/cells.h"
#include "libs/rpc/server.h"
#include "migrations/rules_migrations.h"
#include "services/rules/app/errors.h"
#include "services/rules/app/hosting.h"
#include "services/rules/app/outbox_relay.h"
#include "services/rules/app/table_registry.h"
#include "services/rules/app/takeover.h"
#include "services/rules/app/turn_driver.h"
#include "services/rules/limits.h"
#include "services/rules/storage/archive_store.h"
#include "services/rules/storage/archiver.h"
#include "services/rules/storage/database_cell.h"
#include "services/rules/storage/log_partitions.h"
#include "services/rules/storage/log_upkeep.h"
#include "services/rules/storage/pg_table_store.h"
#include "services/rules/transport/host_router.h"
#include "services/rules/transport/list_gatherer.h"
#include "services/rules/transport/node_service.h"
#include "services/rules/transport/record_service.h"
#include "services/rules/transport/referee_service.h"
#include "services/rules/transport/rule_set_service.h"
#include "services/rules/transport/table_admin_service.h"
#include "services/rules/transport/table_feed_service.h"
#include "services/rules/transport/table_service.h"
#include "services/rules/transport/upstream_clients.h"

namespace tarot::rules_service {
namespace {

void LogRefusedResult(TableId table, OutboxTarget target, const absl::Status& status) {
  obs::Log(obs::Level::kError, "result refused",
           {{"table", table.ToString()},
            {"by", target == OutboxTarget::kRatings ? "ratings" : "matchmaking"},
            {"code", absl::StatusCodeToString(status.code())},
            {"reason", GetErrorDetails(status).reason},
            {"why", status.message()}});
}

void LogLostDeals(TableId table, const absl::Status& status) {
  obs::Log(obs::Level::kError, "result sent without its deals",
           {{"table", table.ToString()},
            {"code", absl::StatusCodeToString(status.code())},
            {"reason", GetErrorDetails(status).reason},
            {"why", status.message()}});
}

void LogUnreadableTable(TableId table, const absl::Status& status) {
  // If the rules have refused an entry, obs::LoggableMessage() is empty, because the message may
  // name a hidden card.
  const bool refusal = absl::IsFailedPrecondition(status);
  obs::Log(
      obs::Level::kError, "table unreadable",
      {{"table", table.ToString()},
       {"code", absl::StatusCodeToString(status.code())},
       {"reason", GetErrorDetails(status).reason},
       {"why", refusal ? "the rules refuse an entry of the log" : obs::LoggableMessage(status)}});
}

void LogFailedUpkeep(const absl::Status& status) {
  obs::Log(obs::Level::kError, "upkeep of the logs failed",
           {{"code", absl::StatusCodeToString(status.code())},
            {"reason", GetErrorDetails(status).reason},
            {"why", status.message()}});
}

std::vector<pg::Statement> UpkeepStatements() {
  std::vector<pg::Statement> statements = LogPartitionStatements();
  for (const pg::Statement& statement : ArchiverStatements()) statements.push_back(statement);
  return statements;
}

std::unique_ptr<ArchiveStore> MakeArchive(const std::string& directory) {
  return directory.empty() ? nullptr : MakeDirectoryArchiveStore(directory);
}

std::vector<pg::Statement> PoolStatements() {
  std::vector<pg::Statement> statements = TableStatements();
  for (const pg::Statement& statement : PlayerDataStatements()) statements.push_back(statement);
  for (const pg::Statement& statement : DatabaseCellStatements()) statements.push_back(statement);
  return statements;
}

// Members are constructed in this order and destroyed in reverse.
struct Instance final : rpc::Service {
  Instance(const Options& options, const rpc::Cells& cells, std::shared_ptr<rpc::ServiceKeys> keys,
           dealing::SecretBox secrets, const rpc::Environment& environment)
      : clock(environment.clock),
        entropy(environment.entropy),
        registry(*environment.registry),
        metrics(registry),
        call_metrics(rpc::Side::kServer, registry),
        client_metrics(rpc::Side::kClient, registry),
        identity(std::move(keys), clock, registry),
        pool({.dsn = options.dsn,
              .connections = options.worker_threads + kListThreads,
              .application_name = "tarot-rules"},
             PoolStatements(), registry),
        append_pool({.dsn = options.dsn,
                     .connections = options.append_connections,
                     .application_name = "tarot-rules-append",
                     .session_sql = kAppendSession},
                    AppendStatements(), registry),
        upkeep_pool({.dsn = options.dsn,
                     .connections = 1,
                     .statement_timeout = kArchiveRunTimeout,
                     .application_name = "tarot-rules-upkeep",
                     .session_sql = kLogUpkeepSession},
                    UpkeepStatements(), registry),
        slow_upkeep_pool({.dsn = options.dsn,
                          .connections = 1,
                          .statement_timeout = kMakePartitionTimeout,
                          .application_name = "tarot-rules-upkeep",
                          .session_sql = kLogUpkeepSession},
                         UpkeepStatements(), registry),
        archive(MakeArchive(options.archive_dir)),
        store(MakePgTableStore(pool, append_pool, std::move(secrets), entropy, archive.get())),
        player_data(MakePgPlayerDataStore(pool)),
        scheduler(environment.scheduler),
        replica("rules", options.dsn, identity, environment,
                {.on_heartbeat = [this](const cluster::HeartbeatNews& news) { OnHeartbeat(news); },
                 .on_failed =
                     [this](const absl::Status&) { metrics.hosting.heartbeats_failed.Increment(); },
                 .heard = [this] { return feed_service.Heard(); }}),
        tables_in_memory(*store, options.tables_open_max, clock),
        append_threads(std::max(kAppendThreads, options.append_connections),
                       options.append_connections + 1),
        appender(*store, append_threads, clock, scheduler, metrics,
                 {.batches_max = options.append_connections,
                  .batch_rows_max = options.append_batch_rows_max,
                  .linger_max = options.append_linger_max}),
        workers(options.worker_threads, kWorkerQueueMax),
        list_workers(kListThreads, kListQueueMax, kListNice),
        upkeep_worker(1, 1, kListNice),
        tables(*store, appender, tables_in_memory, hosting, workers, clock, scheduler, entropy,
               metrics),
        records(*store),
        bots(rpc::MakeServiceChannel("bot", options.bot_address), identity, client_metrics,
             kBotTimeout),
        ratings(rpc::MakeServiceChannel("ratings", options.ratings_address), identity,
                client_metrics),
        matchmaking(rpc::MakeServiceChannel("matchmaking", options.matchmaking_address), identity,
                    client_metrics),
        driver(tables, hosting, bots, workers, clock, scheduler, entropy, metrics,
               {.bot_delay = options.bot_delay,
                .deal_pause = options.deal_pause,
                .bots_only_delay = options.bots_only_delay}),
        takeover(tables, tables_in_memory, *store, hosting, workers, clock, metrics),
        relay(*store, hosting, ratings, matchmaking, workers, clock, scheduler, metrics,
              kOutboxInterval),
        housekeeping(tables_in_memory, clock, scheduler, metrics, kForgetFinishedAfter),
        partitioner(upkeep_pool, slow_upkeep_pool, upkeep_stop),
        archiver(MakeArchiver(options)),
        upkeep(partitioner, archiver.get(), upkeep_stop, upkeep_worker, clock, scheduler,
               metrics.logs),
        dispatcher(clock, workers, identity, call_metrics),
        list_dispatcher(clock, list_workers, identity, call_metrics,
                        [this] { return CheckStorage(); }),
        prompt_dispatcher(clock, no_wait, identity, call_metrics),
        router(hosting, identity, clock, client_metrics, metrics.hosting),
        gatherer(cells, prompt_dispatcher, identity, clock, client_metrics),
        table_service(tables, *store, views, router, gatherer, dispatcher, list_dispatcher),
        feed_service(
            tables, views,
            [this](const HostRouter::Call& call, rpc::Dispatcher::Finish finish) {
              table_service.Submit(call, std::move(finish));
            },
            dispatcher, scheduler, metrics),
        admin_service(
            options.cell, [this] { return FreeTables(); }, tables, *store, *player_data, router,
            dispatcher, list_dispatcher),
        node_service(dispatcher,
                     [this](bool draining, v1::SetDrainingResponse* response) {
                       return Drain(draining, response);
                     }),
        record_service(MakeRecordService(records, router, gatherer, list_dispatcher)),
        rule_set_service(MakeRuleSetService(prompt_dispatcher)),
        referee_service(dispatcher) {
    call_metrics.Register({"tarot.rules.v1.TableService", "tarot.rules.v1.RecordService",
                           "tarot.rules.v1.TableAdminService", "tarot.rules.v1.TableFeedService",
                           "tarot.rules.v1.NodeService", "tarot.rules.v1.RuleSetService",
                           "tarot.rules.v1.RefereeService"});
    tables.set_on_changed([this](const std::shared_ptr<const TableState>& state) {
      driver.OnChanged(state);
      if (state->match.Finished()) relay.Hurry();
    });
    tables.set_on_commit_unknown([this](TableId table) { driver.OnCommitUnknown(table); });
    tables_in_memory.set_on_unreadable(LogUnreadableTable);
    relay.set_on_refused(LogRefusedResult);
    relay.set_on_deals_lost(LogLostDeals);
    upkeep.set_on_failed(LogFailedUpkeep);
  }
  ~Instance() override { Shutdown(); }

  int port() const override { return server->port(); }

  void AnnounceShutdown() override { server->AnnounceShutdown(); }

  // Returns true if this replica has joined the list and its heartbeats reach the database.
  bool Ready() const { return joined && replica.Fresh(); }

  // Returns STORAGE_AWAY while the heartbeats do not reach the database. Then a call for a list
  // fails at once and does not hold one of the few threads for lists. A replica that hands its
  // tables over sends no heartbeats, and still answers.
  absl::Status CheckStorage() const {
    return joined && !replica.Fresh() ? StorageAway() : absl::OkStatus();
  }

  // Ends the upkeep of the logs, hands the tables over, ends the streams, stops new calls and
  // timers, and cancels the calls to other services. Only then stops the workers, because the steps
  // before may give them work.
  void Shutdown() override {
    upkeep_stop.Stop();
    HandOver();
    tables_in_memory.EndWatchers();
    feed_service.EndStreams();
    if (server != nullptr) server->Shutdown();
    scheduler.Stop();
    replica.Stop();
    router.Stop();
    gatherer.Stop();
    bots.Stop();
    ratings.Stop();
    matchmaking.Stop();
    workers.Stop();
    list_workers.Stop();
    upkeep_worker.Stop();
    // The appender's threads stop last: they store and answer the changes that the other threads
    // have begun.
    append_threads.Stop();
  }

  Clock& clock;
  Entropy& entropy;
  prometheus::Registry& registry;
  Metrics metrics;
  rpc::CallMetrics call_metrics;
  rpc::CallMetrics client_metrics;
  rpc::Authenticator identity;
  pg::Pool pool;
  pg::Pool append_pool;
  pg::Pool upkeep_pool;
  pg::Pool slow_upkeep_pool;
  std::unique_ptr<ArchiveStore> archive;
  std::unique_ptr<TableStore> store;
  std::unique_ptr<PlayerDataStore> player_data;
  ScopedScheduler scheduler;
  cluster::Replica replica;
  MemberHosting hosting;
  TableRegistry tables_in_memory;
  ThreadWorkerPool append_threads;
  GroupAppender appender;
  ThreadWorkerPool workers;
  ThreadWorkerPool list_workers;
  ThreadWorkerPool upkeep_worker;
  TableService tables;
  RecordService records;
  GrpcBotClient bots;
  GrpcRatingSink ratings;
  GrpcMatchmakingSink matchmaking;
  TurnDriver driver;
  Takeover takeover;
  OutboxRelay relay;
  Housekeeping housekeeping;
  UpkeepStop upkeep_stop;
  LogPartitioner partitioner;
  std::unique_ptr<Archiver> archiver;  // Null if there is no archive.
  LogUpkeep upkeep;
  rpc::Dispatcher dispatcher;
  rpc::Dispatcher list_dispatcher;
  // Runs calls that never wait on the threads of gRPC. So they are answered even while all workers
  // wait for the database.
  InlineWorkerPool no_wait;
  rpc::Dispatcher prompt_dispatcher;
  HostRouter router;
  TableViews views;
  ListGatherer gatherer;
  GrpcTableService table_service;
  TableFeedServiceImpl feed_service;
  GrpcTableAdminService admin_service;
  NodeServiceImpl node_service;
  std::unique_ptr<grpc::Service> record_service;
  std::unique_ptr<grpc::Service> rule_set_service;
  GrpcRefereeService referee_service;
  std::unique_ptr<rpc::Server> server;
  std::atomic<bool> joined = false;

  std::unique_ptr<Archiver> MakeArchiver(const Options& options) {
    if (archive == nullptr) return nullptr;
    return std::make_unique<Archiver>(upkeep_pool, *store, *archive, upkeep_stop,
                                      options.archive_after);
  }

  // Announces this replica to the other replicas. If this succeeds, the replica starts to acquire
  // its tables.
  absl::Status Join(const std::string& address) {
    hosting.Use(replica.UseAddress(address));
    TAROT_RETURN_IF_ERROR(replica.Join(*server));
    joined = true;
    return absl::OkStatus();
  }

  // Releases and acquires tables first. Then cancels the calls to replicas that left, and sends the
  // new list to the gateways.
  void OnHeartbeat(const cluster::HeartbeatNews& news) {
    takeover.OnHeartbeat(news);
    router.OnNodes(*news.nodes);
    node_service.Show(*news.nodes);
  }

  // Estimates how many more tables the cell has room for. The hash of their ids spreads the tables
  // evenly over the replicas, so the other replicas have about the same room as this one.
  std::uint64_t FreeTables() {
    if (!Ready()) return 0;
    return tables_in_memory.Room() * hosting.ReplicaCount();
  }

  // Drains this replica or ends its drain. At the next heartbeat, this replica leaves the list or
  // joins the list again. Then OnHeartbeat releases or acquires tables.
  absl::Status Drain(bool draining, v1::SetDrainingResponse* response) {
    TAROT_RETURN_IF_ERROR(replica.SetDraining(draining));
    std::uint32_t played = 0;
    for (const TableId id : tables_in_memory.Tables()) {
      const std::shared_ptr<Table> table = tables_in_memory.Find(id);
      if (table != nullptr && table->acquired && !table->Snapshot()->match.Finished()) ++played;
    }
    response->set_address(replica.address());
    response->set_table_count(played);
    return absl::OkStatus();
  }

  // Hands the tables over to the other replicas, which host these tables from their next heartbeat
  // on. Then waits for two heartbeats, so that every gateway gets the new list. During this wait,
  // this replica forwards calls to the new hosts.
  void HandOver() {
    if (!joined.exchange(false)) return;
    server->AnnounceShutdown();
    const bool others = !replica.Leave()->empty();
    node_service.EndStreams();
    if (!others) return;
    std::promise<void> known;
    scheduler.After(2 * cluster::kHeartbeatInterval, [&known] { known.set_value(); });
    known.get_future().wait();
  }
};

}  // namespace

absl::Status MigrateSchema(const Options& options) {
  TAROT_RETURN_IF_ERROR(pg::Migrate(options.dsn, "rules", Migrations()));
  return ClaimDatabase(options.dsn, options.cell);
}

rpc::StartCheck CheckStart(const Options& options) {
  return pg::CheckSchema(options.dsn, "rules", Migrations());
}

absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment) {
  TAROT_ASSIGN_OR_RETURN(std::shared_ptr<rpc::ServiceKeys> keys,
                         rpc::OpenServiceKeys("rules", options));
  TAROT_ASSIGN_OR_RETURN(const std::vector<SecretKey> seed_keys,
                         ReadKeyFile(options.seed_key_file));
  TAROT_ASSIGN_OR_RETURN(const rpc::Cells cells, rpc::ParseCells(options.cells));
  if (cells.size() > 1 && !cells.contains(options.cell)) {
    return BadRequest("cells", "must have the cell of this replica");  // Or lists lack its rows.
  }
  auto instance = std::make_unique<Instance>(options, cells, std::move(keys),
                                             dealing::SecretBox(seed_keys), environment);
  Instance& i = *instance;
  TAROT_RETURN_IF_ERROR(CheckDatabaseCell(i.pool, options.cell));
  TAROT_ASSIGN_OR_RETURN(
      i.server,
      rpc::Server::Start({.address = options.listen_address, .ready = [&i] { return i.Ready(); }},
                         {&i.table_service, &i.feed_service, &i.admin_service, &i.node_service,
                          i.record_service.get(), i.rule_set_service.get(), &i.referee_service,
                          &i.replica.ping_service()}));
  i.server->WatchThreads(environment.scheduler, {&i.workers, &i.list_workers, &i.append_threads});
  TAROT_ASSIGN_OR_RETURN(const std::string address,
                         cluster::AdvertisedAddress(options.advertise_address,
                                                    options.listen_address, i.server->port()));
  TAROT_RETURN_IF_ERROR(i.Join(address));
  i.relay.Start();
  i.housekeeping.Start();
  i.upkeep.Start();
  i.feed_service.Start();
  return instance;
}

}  // namespace tarot::rules_service
