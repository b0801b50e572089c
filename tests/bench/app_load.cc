#include "tests/bench/app_load.h"

#include <sys/resource.h>

#include <atomic>
#include <memory>
#include <thread>

#include "libs/base/clock.h"
#include "libs/base/real_clock.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/pg/migrate.h"
#include "libs/pg/pool.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/testkit/pg_fixture.h"
#include "migrations/rules_migrations.h"
#include "services/rules/app/table_service.h"
#include "services/rules/storage/pg_table_store.h"
#include "services/rules/testing/hosts_all.h"

namespace tarot::bench {
namespace {

using namespace rules_service;  // NOLINT: this load uses many names of the rules service.

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The rules service without its transport, on a database of its own.
struct AppFixture {
  AppFixture(const std::string& dsn, const AppLoadOptions& o)
      : pool({.dsn = dsn, .connections = 4}, TableStatements(), registry),
        append_pool({.dsn = dsn, .connections = o.connections, .session_sql = kAppendSession},
                    AppendStatements(), registry),
        store(MakePgTableStore(
            pool, append_pool,
            dealing::SecretBox({{.id = "bench", .secret = std::string(32, 'b')}}), entropy)),
        memory(*store, 1'000'000, clock),
        threads(o.threads, o.connections + 1),
        appender(*store, threads, clock, scheduler, metrics,
                 {.batches_max = o.connections, .batch_rows_max = o.batch_rows_max}),
        workers(4, 100'000),
        tables(*store, appender, memory, hosting, workers, clock, scheduler, entropy, metrics) {
    tables.set_on_changed([](const std::shared_ptr<const TableState>&) {});
    tables.set_on_commit_unknown([](TableId) {});
  }
  ~AppFixture() {
    workers.Stop();
    threads.Stop();
  }

  RealClock clock;
  RealScheduler scheduler;
  OsEntropy entropy;
  prometheus::Registry registry;
  Metrics metrics{registry};
  pg::Pool pool;
  pg::Pool append_pool;
  std::unique_ptr<TableStore> store;
  TableRegistry memory;
  HostsAll hosting;
  ThreadWorkerPool threads;
  GroupAppender appender;
  ThreadWorkerPool workers;
  TableService tables;
  std::atomic<bool> running = true;
  std::atomic<int> open = 0;
  std::atomic<long> moves = 0;
};

// Four people at a table. They send a legal action as soon as the previous action is durable.
class LoadedTable {
 public:
  LoadedTable(AppFixture& fixture, std::uint64_t seed) : fixture_(fixture), rng_(seed) {}

  void Start() {
    TableConfig config{.id = TableId{fixture_.entropy.NewUuid()},
                       .rule_set = "fft",
                       .deal_count = 100,
                       .move_limit = absl::Seconds(60),
                       .time_bank = absl::Seconds(60)};
    for (int i = 0; i < 4; ++i) {
      config.seats.push_back({.player = PlayerId{fixture_.entropy.NewUuid()}, .display_name = "P"});
    }
    TAROT_CHECK(fixture_.tables.Create(config).ok());
    table_ = *fixture_.memory.Get(config.id);
    ++fixture_.open;
    Next();
  }

 private:
  void Next() {
    if (!fixture_.running) {
      --fixture_.open;
      return;
    }
    const std::shared_ptr<const TableState> state = table_->Snapshot();
    const TableId id = state->config->id;
    if (!state->match.DealRunning()) {
      return fixture_.tables.DealNext(
          id, state->revision,
          [this](const absl::StatusOr<SeatView>& view) { Done(view.status()); });
    }
    const rules::Deal& deal = state->match.deal;
    const RequestContext context{
        .caller = {.player = state->config->seats[static_cast<std::size_t>(deal.turn)].player},
        .table = id};
    const SubmitCommand command{.request = RequestId{NewUuid()},
                                .expected_revision = state->revision,
                                .action = rules::RandomAction(deal, rng_)};
    fixture_.tables.Submit(context, command,
                           [this](const absl::StatusOr<SeatView>& view) { Done(view.status()); });
  }

  void Done(const absl::Status& status) {
    TAROT_CHECK(status.ok());
    fixture_.moves.fetch_add(1, std::memory_order_relaxed);
    Next();
  }

  // Makes the id of a request without system calls. On the platform, clients make these ids. So the
  // time to make an id is no cost of the service.
  Uuid NewUuid() {
    std::array<std::uint8_t, 16> bytes;
    for (std::size_t i = 0; i < bytes.size(); i += 8) {
      const std::uint64_t word = rng_.Next();
      for (std::size_t j = 0; j < 8; ++j) bytes[i + j] = static_cast<std::uint8_t>(word >> (8 * j));
    }
    return Uuid(bytes);
  }

  AppFixture& fixture_;
  Rng rng_;
  std::shared_ptr<Table> table_;
};

}  // namespace

AppLoadResult RunAppLoad(const AppLoadOptions& options) {
  static testkit::PgCluster cluster({.fsync = true});
  const std::string dsn = cluster.NewDatabase();
  TAROT_CHECK(pg::Migrate(dsn, "rules", Migrations()).ok());
  AppFixture fixture(dsn, options);
  std::vector<std::unique_ptr<LoadedTable>> loaded;
  for (int i = 0; i < options.tables; ++i) {
    loaded.push_back(std::make_unique<LoadedTable>(fixture, static_cast<std::uint64_t>(i)));
    loaded.back()->Start();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const auto rows = [&] { return fixture.metrics.append_batch_rows.Collect().histogram; };
  const auto rows_before = rows();
  const long moves_before = fixture.moves;
  const double cpu_before = CpuSeconds();
  const Stopwatch watch;
  std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds));
  const auto moves = static_cast<double>(fixture.moves - moves_before);
  const double cpu = CpuSeconds() - cpu_before;
  const double elapsed = absl::ToDoubleSeconds(watch.Elapsed());
  const auto rows_after = rows();
  fixture.running = false;
  while (fixture.open > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return {.moves_per_s = moves / elapsed,
          .rows_per_batch = (rows_after.sample_sum - rows_before.sample_sum) /
                            static_cast<double>(rows_after.sample_count - rows_before.sample_count),
          .cpu_us_per_move = cpu * 1e6 / moves};
}

}  // namespace tarot::bench
