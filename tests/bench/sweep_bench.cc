// Measures how much CPU Postgres uses for the sweeps of a replica of rules (services/rules/app/
// takeover.h) while the list of replicas does not change. The tables are in play and belong to
// several replicas. The older sweep, which read the last revision of every table in play, runs in
// turn with the present one. Prints figures as a JSON list.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/cluster/rendezvous.h"
#include "libs/pg/migrate.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/testkit/pg_fixture.h"
#include "migrations/rules_migrations.h"
#include "services/rules/limits.h"
#include "services/rules/storage/log_partitions.h"
#include "services/rules/storage/pg_table_store.h"
#include "tests/bench/figures.h"

ABSL_FLAG(int, tables, 100'000, "tables in play");
ABSL_FLAG(int, replicas, 8, "replicas of rules");
ABSL_FLAG(int, entries, 20, "entries in the log of each table");
ABSL_FLAG(double, silent, 0.1, "share of the tables that got no entry in the last half minute");
ABSL_FLAG(int, rounds, 5, "rounds; each has one old sweep, and one sweep of each replica");

namespace tarot::bench {
namespace {

using namespace rules_service;  // NOLINT: this program measures one service.

const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);
// A match of six deals takes this time (docs/capacity.md). The tables were made at a steady rate
// within this time before kNow, so all of them are still in play.
constexpr absl::Duration kMatch = absl::Minutes(24);
const absl::Time kNow = kStart + absl::Hours(36);

// The statement of the older sweep: each page has 5,000 tables.
constexpr char kOldStatement[] = R"sql(
  SELECT t.table_id, extract(epoch FROM t.create_time)::text AS create_time,
         coalesce((SELECT max(a.revision) FROM rules.table_actions a
                   WHERE a.table_id = t.table_id), 0) AS revision
  FROM rules.tables t
  WHERE t.finish_time IS NULL AND (t.create_time, t.table_id) < ($1, $2)
  ORDER BY t.create_time DESC, t.table_id DESC LIMIT $3
)sql";

class Platform {
 public:
  Platform()
      : dsn_(testkit::PgCluster::Shared().NewDatabase()),
        pool_({.dsn = dsn_}, TableStatements(), registry_),
        append_pool_({.dsn = dsn_, .session_sql = kAppendSession}, AppendStatements(), registry_) {
    TAROT_CHECK(pg::Migrate(dsn_, "rules", Migrations()).ok());
    store_ = MakePgTableStore(pool_, append_pool_,
                              dealing::SecretBox({{"k", std::string(32, 'k')}}), entropy_, nullptr);
    connection_.emplace(dsn_);
    connection_->prepare("old", kOldStatement);
    for (int i = 1; i <= absl::GetFlag(FLAGS_replicas); ++i) {
      nodes_.push_back(absl::StrCat("10.0.0.", i, ":7101"));
    }
  }

  void MakeTables() {
    pg::Pool upkeep_pool({.dsn = dsn_, .session_sql = kLogUpkeepSession}, LogPartitionStatements(),
                         registry_);
    UpkeepStop stop;
    TAROT_CHECK(LogPartitioner(upkeep_pool, upkeep_pool, stop).MakeAhead(kStart).ok());
    const int count = absl::GetFlag(FLAGS_tables);
    std::vector<TableConfig> batch;
    for (int i = 0; i < count; ++i) {
      batch.push_back(NewTable(kNow - kMatch * (static_cast<double>(i) / count)));
      tables_[cluster::HostOf(batch.back().id.uuid, nodes_)].push_back(
          {.table = batch.back().id, .revision = absl::GetFlag(FLAGS_entries)});
      if (batch.size() < 1'000 && i + 1 < count) continue;
      for (const auto& made : store_->CreateMany(batch)) TAROT_CHECK(made.ok());
      batch.clear();
    }
    pqxx::nontransaction tx(*connection_);
    tx.exec0(absl::StrCat(
        "INSERT INTO rules.table_actions (table_id, revision, request_id, kind, actor, seat,"
        "                                 payload, elapsed_us, create_time)"
        " SELECT table_id, n, gen_random_uuid(), 1, 1, 0, '\\x012345', 1000000, create_time"
        " FROM rules.tables, generate_series(1, ",
        absl::GetFlag(FLAGS_entries), ") AS n"));
    tx.exec0("VACUUM ANALYZE rules.tables, rules.table_actions");
  }

  // Each of the next functions runs one sweep and returns the CPU of Postgres in milliseconds.
  double OldSweep() {
    const double before = CpuMs();
    std::string time = "infinity", id = Uuid().ToString();
    for (int rows = kLiveTablesPerPage; rows == kLiveTablesPerPage;) {
      pqxx::nontransaction tx(*connection_);
      const pqxx::result page = tx.exec_prepared("old", time, id, kLiveTablesPerPage);
      rows = static_cast<int>(page.size());
      if (rows == 0) break;
      id = page.back()[0].c_str();
      time = tx.exec_params1("SELECT to_timestamp($1::numeric)", page.back()[1].c_str())[0].c_str();
    }
    return CpuMs() - before;
  }
  // `share` is the share of the tables that got no entry since the previous sweep.
  double Sweep(const std::string& node, double share) {
    const double before = CpuMs();
    // The previous sweep ran half a minute ago.
    List(kNow - kHeartbeatsBetweenSweeps * absl::Seconds(1) - kNewTablesOverlap);
    const std::vector<TableRevision>& tables = tables_[node];
    const auto silent = static_cast<std::ptrdiff_t>(share * static_cast<double>(tables.size()));
    Check({tables.begin(), tables.begin() + silent});
    return CpuMs() - before;
  }
  double SweepAfterChange(const std::string& node) {
    const double before = CpuMs();
    List(absl::InfinitePast());
    Check(tables_[node]);
    return CpuMs() - before;
  }

  const std::vector<std::string>& nodes() const { return nodes_; }

 private:
  TableConfig NewTable(absl::Time time) {
    TableConfig table{.id = TableId{entropy_.NewTimeOrderedUuid(time)},
                      .rule_set = "fft",
                      .rules = rules::FindRuleSet("fft")->rules,
                      .deal_count = 6,
                      .ranked = true,
                      .create_time = time};
    for (int seat = 0; seat < 4; ++seat) {
      table.seats.push_back({.player = PlayerId{entropy_.NewUuid()}, .display_name = "P"});
    }
    entropy_.Fill(absl::MakeSpan(table.first_seed.emplace()));
    return table;
  }

  void List(absl::Time since) {
    std::optional<TableKey> after;
    for (std::size_t rows = kLiveTablesPerPage; rows == kLiveTablesPerPage;) {
      const auto page = store_->ListLive(since, after, kLiveTablesPerPage);
      TAROT_CHECK(page.ok());
      rows = page->size();
      if (rows > 0) after = page->back();
    }
  }
  void Check(const std::vector<TableRevision>& tables) {
    for (auto at = tables.begin(); at != tables.end();) {
      const auto end = at + std::min<std::ptrdiff_t>(kLiveTablesPerPage, tables.end() - at);
      const auto behind = store_->ListBehind({at, end});
      TAROT_CHECK(behind.ok() && behind->empty());
      at = end;
    }
  }

  // Returns the CPU that the sessions of the database have used so far.
  double CpuMs() {
    double ns = 0;
    pqxx::nontransaction tx(*connection_);
    for (const pqxx::row& row :
         tx.exec("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")) {
      std::ifstream file(absl::StrCat("/proc/", row[0].as<int>(), "/schedstat"));
      double used = 0;
      if (file >> used) ns += used;
    }
    return ns / 1e6;
  }

  const std::string dsn_;
  SeededEntropy entropy_{1};
  prometheus::Registry registry_;
  pg::Pool pool_;
  pg::Pool append_pool_;
  std::unique_ptr<TableStore> store_;
  std::optional<pqxx::connection> connection_;
  std::vector<std::string> nodes_;
  absl::flat_hash_map<std::string, std::vector<TableRevision>> tables_;
};

int Main() {
  Platform platform;
  platform.MakeTables();
  std::vector<double> old_sweeps, sweeps, silent_sweeps, changes;
  const auto replicas = static_cast<double>(platform.nodes().size());
  for (int round = 0; round <= absl::GetFlag(FLAGS_rounds); ++round) {
    const double old_ms = platform.OldSweep();
    double ms = 0, silent_ms = 0, change_ms = 0;
    for (const std::string& node : platform.nodes()) {
      ms += platform.Sweep(node, absl::GetFlag(FLAGS_silent)) / replicas;
      silent_ms += platform.Sweep(node, 1) / replicas;
      change_ms += platform.SweepAfterChange(node) / replicas;
    }
    if (round == 0) continue;  // Not counted, because the caches of Postgres were cold.
    std::fprintf(stderr,
                 "CPU of Postgres a sweep: before %.1f ms, now %.1f ms, without any move %.1f ms,"
                 " after a change of the list %.1f ms\n",
                 old_ms, ms, silent_ms, change_ms);
    old_sweeps.push_back(old_ms);
    sweeps.push_back(ms);
    silent_sweeps.push_back(silent_ms);
    changes.push_back(change_ms);
  }
  Figures figures;
  const double now = Quantile(sweeps, 0.5), old = Quantile(old_sweeps, 0.5);
  figures.Add("sweep_cpu_ms", now, "ms");
  figures.Add("sweep_cpu_ms/old", old, "ms");
  figures.Add("sweep_cpu_ratio_to_old", now / old, "ratio");
  figures.Add("sweep_cpu_ms/no_moves", Quantile(silent_sweeps, 0.5), "ms");
  figures.Add("sweep_cpu_ms/after_change", Quantile(changes, 0.5), "ms");
  figures.Print();
  return 0;
}

}  // namespace
}  // namespace tarot::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return tarot::bench::Main();
}
