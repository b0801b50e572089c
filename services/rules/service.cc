#include "services/rules/service.h"

#include <google/protobuf/descriptor.h>

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/base/status_macros.h"
#include "libs/base/worker_pool.h"
#include "libs/cluster/membership.h"
#include "libs/cluster/pg_member_store.h"
#include "libs/obs/log.h"
#include "libs/pg/migrate.h"
#include "libs/pg/pool.h"
#include "libs/rpc/channel.h"
#include "libs/rpc/server.h"
#include "migrations/rules_migrations.h"
#include "services/rules/app/hosting.h"
#include "services/rules/app/outbox_relay.h"
#include "services/rules/app/table_registry.h"
#include "services/rules/app/takeover.h"
#include "services/rules/app/turn_driver.h"
#include "services/rules/storage/append_batch.h"
#include "services/rules/storage/pg_table_store.h"
#include "services/rules/transport/admin_service_impl.h"
#include "services/rules/transport/host_router.h"
#include "services/rules/transport/node_service_impl.h"
#include "services/rules/transport/peer_clients.h"
#include "services/rules/transport/reachability.h"
#include "services/rules/transport/referee_service_impl.h"
#include "services/rules/transport/table_feed_service_impl.h"
#include "services/rules/transport/table_service_impl.h"

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

}  // namespace

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
        scheduler(timer),
        member_store(options.dsn, "rules", registry),
        beats(1, 4),
        tables_in_memory(store, options.tables_open_max, clock),
        append_threads(options.append_threads, options.append_connections + 1),
        appender(store, append_threads, clock, scheduler, metrics,
                 {.batches_max = options.append_connections,
                  .batch_rows_max = options.append_batch_rows_max,
                  .linger_max = options.append_company_wait_max}),
        workers(options.worker_threads, options.worker_queue_size_max),
        tables(store, appender, tables_in_memory, hosting, workers, clock, entropy, metrics),
        records(store),
        bots(rpc::MakeChannel(options.bot_address), identity, client_metrics, options.bot_timeout),
        ratings(rpc::MakeChannel(options.ratings_address), identity, client_metrics),
        matchmaking(rpc::MakeChannel(options.matchmaking_address), identity, client_metrics),
        driver(tables, hosting, bots, workers, clock, scheduler, entropy, metrics,
               {.bot_delay = options.bot_delay,
                .deal_pause = options.deal_pause,
                .bots_only_delay = options.bots_only_delay}),
        takeover(tables, tables_in_memory, store, hosting, workers, clock, metrics),
        relay(store, hosting, ratings, matchmaking, workers, clock, scheduler, metrics,
              options.outbox_interval),
        housekeeping(tables_in_memory, clock, scheduler, metrics, options.forget_finished_after),
        dispatcher(clock, workers, identity, call_metrics),
        router(hosting, identity, client_metrics, metrics.hosting),
        reachability([this](const std::string& address, std::function<void()> answered) {
          router.Ping(address, std::move(answered));
        }),
        table_service(tables, store, router, dispatcher, metrics),
        feed_service(
            tables,
            [this](const HostRouter::Call& call, rpc::Dispatcher::Finish finish) {
              table_service.Submit(call, std::move(finish));
            },
            dispatcher, scheduler, metrics),
        admin_service(tables, router, dispatcher),
        node_service(dispatcher),
        record_service(records, dispatcher),
        referee_service(dispatcher) {}

  Metrics metrics;
  rpc::CallMetrics call_metrics;
  rpc::CallMetrics client_metrics;
  rpc::Authenticator identity;
  pg::Pool pool;
  pg::Pool append_pool;
  PgTableStore store;
  ScopedScheduler scheduler;
  cluster::PgMemberStore member_store;
  ThreadWorkerPool beats;
  std::optional<cluster::Membership> members;
  MemberHosting hosting;
  TableRegistry tables_in_memory;
  ThreadWorkerPool append_threads;
  GroupAppender appender;
  ThreadWorkerPool workers;
  TableService tables;
  RecordService records;
  GrpcBotClient bots;
  GrpcRatingSink ratings;
  GrpcMatchmakingSink matchmaking;
  TurnDriver driver;
  Takeover takeover;
  OutboxRelay relay;
  Housekeeping housekeeping;
  rpc::Dispatcher dispatcher;
  HostRouter router;
  Reachability reachability;
  TableServiceImpl table_service;
  TableFeedServiceImpl feed_service;
  TableAdminServiceImpl admin_service;
  NodeServiceImpl node_service;
  RecordServiceImpl record_service;
  RefereeServiceImpl referee_service;
  std::unique_ptr<rpc::Server> server;
  bool handed_over = false;

  ~Parts() { Stop(); }  // Before any member goes, also when Start failed halfway.

  absl::Status Join(const std::string& address, Clock& clock, Entropy& entropy) {
    members.emplace(
        member_store, beats, clock, scheduler, address, entropy.NewUuid(),
        cluster::Membership::Callbacks{
            .on_beat = [this](const cluster::BeatNews& news) { OnBeat(news); },
            .on_failed =
                [this](const absl::Status&) { metrics.hosting.heartbeats_failed.Increment(); },
            .reachable =
                [this] {
                  return reachability.Reached(feed_service.Heard(), *members->Current(),
                                              members->address());
                }});
    hosting.Use(*members);
    return members->Start();
  }

  // First the tables, then those who would ask for them.
  void OnBeat(const cluster::BeatNews& news) {
    takeover.OnHeartbeat(news);
    router.OnNodes(*news.nodes);
    node_service.Show(*news.nodes);
  }

  // Hands the tables over: the others host them from their next beat on, and until everybody knows,
  // calls are sent on to them.
  void HandOver() {
    if (!members || std::exchange(handed_over, true)) return;
    server->AnnounceShutdown();
    const bool others = !members->Leave()->empty();
    node_service.EndStreams();
    if (!others) return;
    std::promise<void> known;
    scheduler.After(2 * cluster::kBeatInterval, [&known] { known.set_value(); });
    known.get_future().wait();
  }

  // From the outside in: no tables, no new calls, no timers, no answers of peers, then no work.
  void Stop() {
    HandOver();
    tables_in_memory.EndWatchers();
    feed_service.EndStreams();
    if (server != nullptr) server->Shutdown();
    scheduler.Stop();
    beats.Stop();
    router.Stop();
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
  for (const char* service : {"TableService", "RecordService", "TableAdminService",
                              "TableFeedService", "NodeService", "RefereeService"}) {
    p.call_metrics.Register(*google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(
        absl::StrCat("tarot.rules.v1.", service)));
  }
  p.tables.set_on_changed(
      [&p](const std::shared_ptr<const TableState>& state) { p.driver.OnChanged(state); });
  p.tables.set_on_commit_unknown([&p](TableId table) { p.driver.OnCommitUnknown(table); });
  TAROT_ASSIGN_OR_RETURN(
      p.server, rpc::Server::Start({.address = options.listen_address},
                                   {&p.table_service, &p.feed_service, &p.admin_service,
                                    &p.node_service, &p.record_service, &p.referee_service}));
  TAROT_ASSIGN_OR_RETURN(const std::string address,
                         cluster::AdvertisedAddress(options.advertise_address,
                                                    options.listen_address, p.server->port()));
  TAROT_RETURN_IF_ERROR(p.Join(address, clock, entropy));
  p.relay.set_on_refused(LogRefusedResult);
  p.relay.Start();
  p.housekeeping.Start();
  p.feed_service.Start();
  return std::unique_ptr<Service>(new Service(std::move(parts)));
}

}  // namespace tarot::rules_service
