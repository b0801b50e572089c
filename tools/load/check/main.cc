// The program tarot-check compares a history of tarot-load with the database.
#include <cstdio>
#include <string>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/time/time.h"
#include "tools/load/check/checker.h"

ABSL_FLAG(std::string, history, "history.gz", "the file that tarot-load wrote");
ABSL_FLAG(std::string, dsn, "", "Postgres, libpq form; must read the schemas rules and ratings");
ABSL_FLAG(std::string, seed_key_file, "", "keys of the secrets in the log; see tarot-rules --help");
ABSL_FLAG(absl::Duration, stuck_after, absl::Seconds(10),
          "a live table is stuck if it has not moved for this long at the end");

namespace {

constexpr char kUsage[] = R"text(compares the history of a load with the database.

  tarot-check --history=history.gz --dsn='host=/run/postgresql dbname=tarot user=postgres' \
      --seed_key_file=var/keys/seed.keys

Start it when all matches of the load are stored and rated: some seconds after the load.
Exit code 0: they agree; 1: they differ; 2: one of them cannot be read.)text";

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(kUsage);
  if (absl::ParseCommandLine(argc, argv).size() > 1 ||
      absl::GetFlag(FLAGS_stuck_after) <= absl::ZeroDuration()) {
    std::fprintf(stderr, "takes flags only, --stuck_after above 0; see tarot-check --help\n");
    return 2;
  }
  const absl::StatusOr<tarot::check::Database> database =
      tarot::check::ReadDatabase(absl::GetFlag(FLAGS_dsn), absl::GetFlag(FLAGS_seed_key_file));
  if (!database.ok()) return Fail(database.status());
  tarot::check::Checker checker(
      *database, {.stuck_us = absl::ToInt64Microseconds(absl::GetFlag(FLAGS_stuck_after))});
  const absl::Status read = tarot::load::ReadHistory(
      absl::GetFlag(FLAGS_history), [&](const tarot::load::Event& event) { checker.See(event); });
  if (!read.ok()) return Fail(read);
  const tarot::check::Report report = checker.Finish();
  std::fputs(Text(report).c_str(), stdout);
  return report.ok() ? 0 : 1;
}
