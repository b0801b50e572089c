// Deletes the data directory of Postgres in the middle of play, restores it from the copies of
// deploy/backup, and compares the history of the players with the restored database. Then restores
// the state before a DROP. `tools/dev restore-drill` runs it; ctest runs a short form.
#include <sys/stat.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "libs/base/check.h"
#include "libs/base/clock.h"
#include "libs/testkit/pg_fixture.h"
#include "tests/bench/figures.h"
#include "tests/chaos/database_play.h"
#include "tests/e2e/eventually.h"

ABSL_FLAG(int, tables, 40, "Number of tables at which people play.");

namespace tarot::chaos {
namespace {

template <typename T>
T Ask(const std::string& dsn, const std::string& sql) {
  pqxx::connection connection(dsn);
  return pqxx::nontransaction(connection).exec1(sql)[0].as<T>();
}

void Execute(const std::string& dsn, const std::string& sql) {
  pqxx::connection connection(dsn);
  pqxx::nontransaction(connection).exec(sql);
}

// Runs commands of deploy/backup/pg_backup.sh for one cluster, as the user who runs Postgres.
class Backup {
 public:
  explicit Backup(testkit::PgCluster& cluster)
      : cluster_(cluster), folder_(cluster.directory() + "/backup") {
    Shell(absl::StrCat("mkdir ", folder_));
  }
  ~Backup() { StopReceiver(); }

  const std::string& folder() const { return folder_; }

  // Runs `pg_backup.sh COMMAND FOLDER ARGUMENTS`. The script is piped to bash, because the user
  // `postgres` perhaps cannot read the source tree.
  void Run(const std::string& command, const std::string& arguments = "") const {
    Shell(Line(command, arguments));
  }

  // Returns the time of the last backup, as the node exporter reads it.
  absl::Time LastSuccess() const {
    std::ifstream file(folder_ + "/metrics/tarot_backup.prom");
    std::string line;
    while (std::getline(file, line) && absl::StartsWith(line, "#")) continue;
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    std::int64_t seconds = 0;
    TAROT_CHECK(words.front() == "pg_backup_success_time_seconds");
    TAROT_CHECK(absl::SimpleAtoi(words.back(), &seconds));
    return absl::FromUnixSeconds(seconds);
  }

  void StartReceiver() const {
    Shell(absl::StrCat(Line("receive", ""), " >>", folder_, "/receive.log 2>&1 & echo $! >",
                       folder_, "/receive.pid"));
  }

  void StopReceiver() const {
    Shell(absl::StrCat("pid=$(cat ", folder_, "/receive.pid) && { kill $pid; ",
                       "while kill -0 $pid; do sleep 0.05; done; } 2>/dev/null; true"));
  }

 private:
  static void Shell(const std::string& script) {
    const std::string as_user =
        geteuid() == 0 ? "setpriv --reuid=postgres --regid=postgres --init-groups -- " : "";
    const std::string whole = absl::StrCat(as_user, "bash -c '", script, "'");
    if (std::system(whole.c_str()) == 0) return;
    std::fprintf(stderr, "restore_drill: this command failed: %s\n", script.c_str());
    std::exit(1);
  }

  std::string Line(const std::string& command, const std::string& arguments) const {
    return absl::StrCat("bash -s -- ", command, " ", folder_, " ", arguments, " <", Script());
  }

  // Returns a copy of the script that the user `postgres` can read.
  std::string Script() const {
    const std::string copy = cluster_.directory() + "/pg_backup.sh";
    if (access(copy.c_str(), R_OK) == 0) return copy;
    TAROT_CHECK(std::system(absl::StrCat("install -m 644 ", TAROT_SOURCE_DIR,
                                         "/deploy/backup/pg_backup.sh ", copy)
                                .c_str()) == 0);
    return copy;
  }

  testkit::PgCluster& cluster_;
  const std::string folder_;
};

class Drill {
 public:
  explicit Drill(int tables) : tables_(tables) {}

  // Plays, restores twice, and returns whether the results of both restores are right.
  bool Run();

 private:
  // Sets up archive and log receiver, as deploy/backup/README.md says.
  void KeepCopies();
  // Restores a new data directory, starts Postgres, makes the replication slot of the log receiver
  // and starts the log receiver.
  void Restore(const std::string& moment);
  long MovesLost();

  const int tables_;
  testkit::PgCluster cluster_{{.fsync = true}};
  const std::string dsn_ = cluster_.NewDatabase();
  const std::string data_ = cluster_.directory() + "/data";
  Backup backup_{cluster_};
  std::optional<DatabasePlay> play_;
  bench::Figures figures_;
};

void Drill::KeepCopies() {
  backup_.Run("configure", absl::StrCat(data_, " ", cluster_.directory(), " 5432 tarot"));
  TAROT_CHECK(std::system(absl::StrCat("psql -X -q -v ON_ERROR_STOP=1 -d \"", dsn_, "\" -f ",
                                       backup_.folder(), "/settings.sql")
                              .c_str()) == 0);
  cluster_.Stop();  // Postgres turns the archive on only when it starts.
  cluster_.Start();
  backup_.Run("create");
  backup_.StartReceiver();
  Execute(dsn_, "ALTER SYSTEM SET synchronous_standby_names = 'receiver'");
  Execute(dsn_, "SELECT pg_reload_conf()");
}

void Drill::Restore(const std::string& moment) {
  backup_.StopReceiver();
  backup_.Run("restore", absl::StrCat(data_, moment.empty() ? "" : " \"" + moment + "\""));
  cluster_.Start();
  backup_.Run("create");
  backup_.StartReceiver();
}

long Drill::MovesLost() {
  const absl::StatusOr<check::Report> report = play_->Finish(dsn_);
  if (!report.ok()) {
    std::fprintf(stderr, "%s\n", report.status().ToString().c_str());
    return -1;
  }
  std::fprintf(stderr, "%s\n", Text(*report).c_str());
  if (!report->ok()) {
    const auto lost = report->findings.find("lost");
    return lost == report->findings.end() ? -1 : lost->second.count;
  }
  return report->acknowledged > 200 ? 0 : -1;
}

bool Drill::Run() {
  KeepCopies();
  play_.emplace(dsn_, tables_);
  const absl::Time begin = absl::Now();
  backup_.Run("backup", "full");
  TAROT_CHECK(backup_.LastSuccess() >= absl::FromUnixSeconds(absl::ToUnixSeconds(begin)));
  TAROT_CHECK(play_->MovesWithin(absl::Minutes(1)));
  backup_.Run("backup");
  TAROT_CHECK(play_->MovesWithin(absl::Minutes(1)));

  std::fprintf(stderr, "deletes %s in the middle of play\n", data_.c_str());
  const absl::Duration stall = play_->StallAfter(absl::Minutes(5), [&] {
    cluster_.Kill();
    TAROT_CHECK(std::system(absl::StrCat("rm -rf ", data_).c_str()) == 0);
    Restore("");
  });
  const long lost = MovesLost();
  figures_.Add("rpo_moves", static_cast<double>(lost), "moves");
  figures_.Add("rto_s", absl::ToDoubleSeconds(stall), "s");

  backup_.Run("backup", "full");
  const long entries = Ask<long>(dsn_, "SELECT count(*) FROM rules.table_actions");
  const auto moment = Ask<std::string>(dsn_, "SELECT clock_timestamp()");
  Execute(dsn_, "DROP SCHEMA rules CASCADE");
  std::fprintf(stderr, "restores the state of %s, before a DROP\n", moment.c_str());
  cluster_.Stop();
  TAROT_CHECK(std::system(absl::StrCat("rm -rf ", data_).c_str()) == 0);
  Restore(moment);
  const long after = Ask<long>(dsn_, "SELECT count(*) FROM rules.table_actions");
  const bool audited =
      std::system(absl::StrCat(TAROT_BIN_DIR, "/tarot-rules-audit --dsn=\"", dsn_,
                               "\" --seed_key_file=", play_->seed_key_file(), " >&2")
                      .c_str()) == 0;
  play_->PlayAgain();
  const bool goes_on = play_->MovesWithin(absl::Minutes(1));
  figures_.Add("drop_undone_entries_lost", static_cast<double>(entries - after), "entries");
  figures_.Print();
  std::fprintf(stderr, "audit %s, play %s\n", audited ? "right" : "WRONG",
               goes_on ? "goes on" : "STOPS");
  return lost == 0 && entries == after && audited && goes_on;
}

}  // namespace
}  // namespace tarot::chaos

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return tarot::chaos::Drill(absl::GetFlag(FLAGS_tables)).Run() ? 0 : 1;
}
