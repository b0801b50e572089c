// Measures how many bytes a deal of a finished match takes on disk: in the log, in the archive, and
// in the index of the archive in Postgres. Random matches of six deals, as in the ranked queues,
// are stored and archived in the same way as by the rules service. Prints figures as a JSON list.
//
// The number of deals includes the deals that all players passed. No deal is cancelled in these
// matches.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/base/clock.h"
#include "libs/pg/migrate.h"
#include "libs/testkit/pg_fixture.h"
#include "migrations/rules_migrations.h"
#include "services/rules/storage/archive_bytes.h"
#include "services/rules/storage/archiver.h"
#include "services/rules/storage/log_partitions.h"
#include "services/rules/storage/pg_table_store.h"
#include "services/rules/testing/random_match.h"
#include "tests/bench/figures.h"

ABSL_FLAG(int, matches, 1000, "matches of six deals");

namespace tarot::bench {
namespace {

using namespace rules_service;  // NOLINT: this program measures one service.

const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);
constexpr absl::Duration kDay = absl::Hours(24);
constexpr std::size_t kMatchesPerBatch = 50;

bool HasCancelledDeal(const RandomMatch& match) {
  return std::any_of(match.entries().begin(), match.entries().end(), [](const NewEntry& entry) {
    return std::holds_alternative<DealVoided>(entry.entry.body);
  });
}

class Archive {
 public:
  Archive()
      : dsn_(testkit::PgCluster::Shared().NewDatabase()),
        pool_({.dsn = dsn_}, TableStatements(), registry_),
        append_pool_({.dsn = dsn_, .session_sql = kAppendSession}, AppendStatements(), registry_) {
    TAROT_CHECK(pg::Migrate(dsn_, "rules", Migrations()).ok());
    char name[] = "/tmp/tarot-archive-bench-XXXXXX";
    directory_ = ::mkdtemp(name);
    archive_ = MakeDirectoryArchiveStore(directory_);
    store_ =
        MakePgTableStore(pool_, append_pool_, dealing::SecretBox({{"k", std::string(32, 'k')}}),
                         entropy_, archive_.get());
  }
  ~Archive() { std::filesystem::remove_all(directory_); }

  // Stores matches of four players under `fft`. Each person adds a nonce of 16 bytes to each deal.
  void Play(int matches, int bots) {
    for (int done = 0; done < matches; done += static_cast<int>(kMatchesPerBatch)) {
      std::vector<RandomMatch> batch;
      while (batch.size() < kMatchesPerBatch) {
        const TableConfig table{
            .rule_set = "fft", .deal_count = 6, .ranked = true, .create_time = kStart + kDay};
        batch.emplace_back(table, 4, bots, entropy_, 16);
        if (HasCancelledDeal(batch.back())) {
          batch.pop_back();
          continue;
        }
        deals_ += static_cast<int>(DealsOf(batch.back().stored())->size());
        scored_ += batch.back().stored().end->deals_scored;
      }
      Store(batch);
    }
  }

  // Returns the seconds that the archiver took.
  double Run() {
    std::vector<pg::Statement> statements = LogPartitionStatements();
    for (const pg::Statement& statement : ArchiverStatements()) statements.push_back(statement);
    pg::Pool upkeep_pool(
        {.dsn = dsn_, .statement_timeout = absl::Minutes(1), .session_sql = kLogUpkeepSession},
        statements, registry_);
    UpkeepStop stop;
    Archiver archiver(upkeep_pool, *store_, *archive_, stop, kDay);
    const Stopwatch watch;
    for (;;) {
      const absl::StatusOr<ArchiveRun> run = archiver.RunOnce(kStart + 30 * kDay);
      TAROT_CHECK(run.ok());
      if (run->did_nothing()) return absl::ToDoubleSeconds(watch.Elapsed());
    }
  }

  void MakePartitions() {
    pg::Pool upkeep_pool({.dsn = dsn_, .session_sql = kLogUpkeepSession}, LogPartitionStatements(),
                         registry_);
    UpkeepStop stop;
    TAROT_CHECK(LogPartitioner(upkeep_pool, upkeep_pool, stop).MakeAhead(kStart).ok());
  }

  // Returns the size in bytes of SQL tables with their indexes and partitions, divided by the
  // number of scored deals.
  double SqlBytes(const std::string& tables) {
    pqxx::connection connection(dsn_);
    return pqxx::nontransaction(connection)
               .exec1(absl::StrCat(
                   "SELECT sum(pg_total_relation_size(coalesce(relid, root))) FROM unnest('{",
                   tables,
                   "}'::regclass[]) AS t (root) LEFT JOIN LATERAL pg_partition_tree(root) ON true"))
                   [0]
               .as<double>() /
           deals_;
  }
  double FileBytes() const {
    double bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(directory_)) {
      bytes += static_cast<double>(file.file_size());
    }
    return bytes / deals_;
  }
  int deals() const { return deals_; }
  double PassedOut() const { return 1 - static_cast<double>(scored_) / deals_; }

 private:
  void Store(const std::vector<RandomMatch>& batch) {
    std::vector<TableConfig> configs;
    for (const RandomMatch& match : batch) configs.push_back(match.config());
    for (const auto& made : store_->CreateMany(configs)) TAROT_CHECK(made.ok());
    std::vector<NewEntry> entries;
    for (const RandomMatch& match : batch) {
      for (const NewEntry& entry : match.entries()) {
        // The store refuses an entry if it has not stored the previous entry of the table yet.
        if (entry.entry.revision == 1) entries.push_back(entry);
      }
    }
    for (std::size_t next = 1; !entries.empty(); ++next) {
      for (const auto& stored : store_->Append(entries)) TAROT_CHECK(stored.ok());
      entries.clear();
      for (const RandomMatch& match : batch) {
        if (next < match.entries().size()) entries.push_back(match.entries()[next]);
      }
    }
    pqxx::connection connection(dsn_);
    pqxx::nontransaction(connection).exec0("DELETE FROM rules.outbox");
  }

  const std::string dsn_;
  SeededEntropy entropy_{1};
  prometheus::Registry registry_;
  pg::Pool pool_;
  pg::Pool append_pool_;
  std::string directory_;
  std::unique_ptr<ArchiveStore> archive_;
  std::unique_ptr<TableStore> store_;
  int deals_ = 0;
  int scored_ = 0;
};

void Measure(int matches, int bots, const std::string& suffix, Figures& figures) {
  Archive archive;
  archive.MakePartitions();
  archive.Play(matches, bots);
  const std::string logs = "rules.table_actions,rules.deals,rules.deal_players";
  figures.Add("log_bytes_a_deal" + suffix, archive.SqlBytes(logs), "bytes");
  const double seconds = archive.Run();
  const double files = archive.FileBytes();
  const double index = archive.SqlBytes("rules.archived_matches,rules.archive_files");
  figures.Add("archive_file_bytes_a_deal" + suffix, files, "bytes");
  figures.Add("archive_index_bytes_a_deal" + suffix, index, "bytes");
  figures.Add("archive_bytes_a_deal" + suffix, files + index, "bytes");
  figures.Add("settings_bytes_a_deal" + suffix, archive.SqlBytes("rules.tables,rules.table_seats"),
              "bytes");
  figures.Add("passed_out_share" + suffix, archive.PassedOut(), "share");
  figures.Add("archived_deals_per_s" + suffix, archive.deals() / seconds, "deals/s");
}

int Main() {
  Figures figures;
  const int matches = absl::GetFlag(FLAGS_matches);
  Measure(matches, 0, "", figures);
  Measure(matches, 3, "/bots", figures);
  figures.Print();
  return 0;
}

}  // namespace
}  // namespace tarot::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return tarot::bench::Main();
}
