// The program tarot-rules-records writes the deals of ranked matches to a file.
#include <prometheus/registry.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "libs/base/entropy.h"
#include "libs/base/key_file.h"
#include "libs/dealing/secret_box.h"
#include "services/rules/records/export_records.h"
#include "services/rules/storage/archive_store.h"
#include "services/rules/storage/pg_table_store.h"

ABSL_FLAG(std::string, dsn, "",
          "Connection string of the database of the rules service, in the form of libpq.");
ABSL_FLAG(std::string, seed_key_file, "",
          "Keys of the secrets in the log; see tarot-rules --help.");
ABSL_FLAG(std::string, archive_dir, "",
          "Directory of the archive; see tarot-rules --help. Empty: there is no archive.");
ABSL_FLAG(absl::Time, since, absl::InfinitePast(),
          "Only deals that finished at this time or later, for example 2026-11-01T00:00:00Z.");
ABSL_FLAG(std::string, out, "", "The file to write. It should end with .tarotrec.");

namespace {

constexpr char kUsage[] =
    R"text(writes the deals of ranked matches to a file, for tarot-lab collusion. Only reads the
database; the service may run meanwhile.

  tarot-rules-records --dsn='host=/run/postgresql dbname=tarot user=tarot_rules' \
    --seed_key_file=seed.keys --since=2026-11-01T00:00:00Z --out=november.tarotrec

Each cell of the platform has a database of its own, so run the program once for each cell. The
players have their ids as names. Exit code 0: all deals are written, 1: a deal cannot be read or the
file cannot be written, 2: wrong usage, 3: Postgres does not answer.)text";

// The prefix of each message.
constexpr char kProgram[] = "tarot-rules-records: ";

}  // namespace

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(kUsage);
  const bool only_flags = absl::ParseCommandLine(argc, argv).size() == 1;
  const std::string path = absl::GetFlag(FLAGS_out);
  if (!only_flags || absl::GetFlag(FLAGS_dsn).empty() ||
      absl::GetFlag(FLAGS_seed_key_file).empty() || path.empty()) {
    std::cerr << kProgram << "needs --dsn, --seed_key_file and --out; see --help\n";
    return 2;
  }
  const auto keys = tarot::ReadKeyFile(absl::GetFlag(FLAGS_seed_key_file));
  if (!keys.ok()) {
    std::cerr << kProgram << keys.status().message() << "\n";
    return 2;
  }
  tarot::OsEntropy entropy;
  prometheus::Registry registry;
  tarot::pg::Pool pool({.dsn = absl::GetFlag(FLAGS_dsn),
                        .connections = 1,
                        .lease_wait_max = absl::Seconds(30),
                        .statement_timeout = absl::Seconds(60),
                        .application_name = "tarot-rules-records",
                        .session_sql = "SET default_transaction_read_only = on"},
                       tarot::rules_service::TableStatements(), registry);
  std::unique_ptr<tarot::rules_service::ArchiveStore> archive;
  if (const std::string directory = absl::GetFlag(FLAGS_archive_dir); !directory.empty()) {
    archive = tarot::rules_service::MakeDirectoryArchiveStore(directory);
  }
  const auto store = tarot::rules_service::MakePgTableStore(
      pool, pool, tarot::dealing::SecretBox(*keys), entropy, archive.get());
  tarot::rules_service::RecordService records(*store);
  std::ofstream out(path, std::ios::binary);
  const absl::StatusOr<long> count =
      tarot::rules_service::ExportRecords(records, absl::GetFlag(FLAGS_since), out);
  if (!count.ok()) {
    std::cerr << kProgram << count.status().message() << "\n";
    return absl::IsUnavailable(count.status()) ? 3 : 1;
  }
  if (!out.flush()) {
    std::cerr << kProgram << path << " cannot be written\n";
    return 1;
  }
  std::cout << *count << " deals\n";
  return 0;
}
