// The program tarot-rules-audit checks every match that a rules service stores in Postgres.
#include <prometheus/registry.h>

#include <algorithm>
#include <iostream>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "libs/base/entropy.h"
#include "libs/base/key_file.h"
#include "libs/base/real_clock.h"
#include "libs/dealing/secret_box.h"
#include "services/rules/audit/audit_tables.h"
#include "services/rules/storage/archive_store.h"
#include "services/rules/storage/database_cell.h"
#include "services/rules/storage/pg_table_store.h"

ABSL_FLAG(std::string, dsn, "",
          "Connection string of the database of the rules service, in the form of libpq.");
ABSL_FLAG(std::string, seed_key_file, "",
          "Keys of the secrets in the log; see tarot-rules --help.");
ABSL_FLAG(std::string, archive_dir, "",
          "Directory of the archive; see tarot-rules --help. Empty: there is no archive.");
ABSL_FLAG(int, jobs, 0,
          "Threads, each with a connection to Postgres, 1 to 256; 0 means one per core.");

namespace {

constexpr char kUsage[] =
    R"text(checks every match of a rules service. Only reads; the service may run meanwhile.

  tarot-rules-audit --dsn='host=/run/postgresql dbname=tarot user=tarot_rules' \
    --seed_key_file=seed.keys
  tarot-rules-audit --dsn="$(tools/dev dsn)" --seed_key_file=var/keys/seed.keys
    audits the platform that tools/dev up started

Replays the log of each match by the rules, or its archived form, and compares the index of deals
and the stored totals with it. The ids of all matches must name the cell of the database. Prints a
line for each wrong match; the last line is "N records, M wrong". Prints its progress to stderr
every ten seconds. Exit code 0: all true, 1: a match is wrong or cannot be read, 2: wrong usage, 3:
Postgres does not answer.)text";

constexpr absl::Duration kProgressEvery = absl::Seconds(10);

}  // namespace

int main(int argc, char** argv) {
  using tarot::rules_service::AuditCounts;
  absl::SetProgramUsageMessage(kUsage);
  const bool only_flags = absl::ParseCommandLine(argc, argv).size() == 1;
  int jobs = absl::GetFlag(FLAGS_jobs);
  if (!only_flags || absl::GetFlag(FLAGS_dsn).empty() ||
      absl::GetFlag(FLAGS_seed_key_file).empty() || jobs < 0 || jobs > 256) {
    std::cerr
        << "tarot-rules-audit needs --dsn and --seed_key_file; --jobs takes 1 to 256; see --help\n";
    return 2;
  }
  if (jobs == 0) jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto keys = tarot::ReadKeyFile(absl::GetFlag(FLAGS_seed_key_file));
  if (!keys.ok()) {
    std::cerr << "tarot-rules-audit: " << keys.status().message() << "\n";
    return 2;
  }
  tarot::RealClock clock;
  tarot::OsEntropy entropy;
  prometheus::Registry registry;
  std::vector<tarot::pg::Statement> statements = tarot::rules_service::TableStatements();
  for (const auto& statement : tarot::rules_service::DatabaseCellStatements()) {
    statements.push_back(statement);
  }
  tarot::pg::Pool pool({.dsn = absl::GetFlag(FLAGS_dsn),
                        .connections = jobs + 1,
                        .lease_wait_max = absl::Seconds(30),
                        .statement_timeout = absl::Seconds(60),
                        .application_name = "tarot-rules-audit",
                        .session_sql = "SET default_transaction_read_only = on"},
                       std::move(statements), registry);
  std::unique_ptr<tarot::rules_service::ArchiveStore> archive;
  if (const std::string directory = absl::GetFlag(FLAGS_archive_dir); !directory.empty()) {
    archive = tarot::rules_service::MakeDirectoryArchiveStore(directory);
  }
  const auto store = tarot::rules_service::MakePgTableStore(
      pool, pool, tarot::dealing::SecretBox(*keys), entropy, archive.get());
  const absl::StatusOr<int> cell = tarot::rules_service::CellOfDatabase(pool);
  if (!cell.ok()) {
    std::cerr << "tarot-rules-audit: cannot read the cell of the database: "
              << cell.status().message() << "\n";
    return absl::IsUnavailable(cell.status()) ? 3 : 1;
  }
  const absl::Time start = clock.Now();
  absl::Time shown = start;
  const auto counts = tarot::rules_service::AuditTables(
      *store, *cell, jobs,
      {.on_wrong =
           [](tarot::TableId table, const std::string& why) {
             std::cout << "tables/" << table.ToString() << ": " << why << std::endl;
           },
       .on_progress =
           [&](const AuditCounts& so_far) {
             if (clock.Now() - shown < kProgressEvery) return;
             shown = clock.Now();
             std::cerr << so_far.deals << " records, " << so_far.wrong << " wrong so far\n";
           }});
  if (!counts.ok()) {
    std::cerr << "tarot-rules-audit: cannot list the tables: " << counts.status().message() << "\n";
    return absl::IsUnavailable(counts.status()) ? 3 : 1;
  }
  std::cout << counts->deals << " records, " << counts->wrong << " wrong\n";
  std::cerr << "in " << absl::FormatDuration(clock.Now() - start) << "\n";
  return counts->wrong == 0 ? 0 : 1;
}
