#include "libs/testkit/pg_fixture.h"

#include <pwd.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace tarot::testkit {
namespace {

constexpr char kBin[] = "/usr/lib/postgresql/15/bin/";

[[noreturn]] void Die(const std::string& what) {
  std::fprintf(stderr, "PgCluster: %s\n", what.c_str());
  std::abort();
}

bool IsRoot() { return ::geteuid() == 0; }

// Runs a program of Postgres. If this process is root, the program runs as the user postgres,
// because Postgres refuses to run as root. Appends the program's output to the file `log`. A shell
// parses `arguments`. Returns whether the program succeeded.
bool RunPostgres(const std::string& program, const std::string& arguments, const std::string& log) {
  const std::string command = absl::StrCat(IsRoot() ? "runuser -u postgres -- " : "", kBin, program,
                                           " ", arguments, " >>", log, " 2>&1 </dev/null");
  return std::system(command.c_str()) == 0;
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

PgCluster& PgCluster::Shared() {
  static PgCluster cluster;
  return cluster;
}

PgCluster::PgCluster(const PgClusterOptions& options) : options_(options) {
  if (::access(absl::StrCat(kBin, "initdb").c_str(), X_OK) != 0) {
    Die(absl::StrCat("no Postgres 15 in ", kBin, "; install it: apt-get install postgresql-15"));
  }
  // The directory's path must be short, because the path of a socket in it has at most 107 bytes.
  char path[] = "/tmp/tarot-pg-XXXXXX";
  if (::mkdtemp(path) == nullptr) Die("cannot make a directory in /tmp");
  directory_ = path;
  reaper_.emplace(
      absl::StrCat("p=$(head -n1 ", directory_, "/data/postmaster.pid); kill -QUIT $p; ",
                   // A frozen process handles SIGQUIT only after SIGCONT.
                   "kill -CONT $p $(cat /proc/$p/task/$p/children); rm -rf ", directory_,
                   "; sleep 0.1; umount -l ", directory_, "; rm -rf ", directory_));
  if (options_.disk_mb > 0 && ::mount("tmpfs", path, "tmpfs", 0,
                                      absl::StrCat("size=", options_.disk_mb, "m").c_str()) != 0) {
    Die("cannot mount a tmpfs; it needs root");
  }
  if (IsRoot()) {
    const passwd* user = ::getpwnam("postgres");
    if (user == nullptr || ::chown(path, user->pw_uid, user->pw_gid) != 0) {
      Die("running as root, and there is no user postgres to run as");
    }
  }
  MakeData(directory_ + "/initdb.log");
  Start();
}

void PgCluster::MakeData(const std::string& log) {
  const bool made =
      options_.standby_of.empty()
          ? RunPostgres("initdb",
                        absl::StrCat("-D ", directory_,
                                     "/data -A trust -U tarot -E UTF8 --no-locale --no-sync"),
                        log)
          : RunPostgres("pg_basebackup",
                        absl::StrCat("-D ", directory_, "/data -R -c fast -h ", options_.standby_of,
                                     " -U tarot"),
                        log);
  if (!made) Die("no data directory:\n" + ReadFile(log));
}

PgCluster::~PgCluster() = default;

pid_t PgCluster::PostmasterPid() const {
  std::ifstream in(directory_ + "/data/postmaster.pid");
  pid_t pid = 0;
  if (!(in >> pid)) Die("Postgres is not running");
  return pid;
}

std::string PgCluster::NewDatabase() {
  const std::string name = absl::StrCat("test_", ++databases_);
  const std::string log = directory_ + "/createdb.log";
  if (!RunPostgres("createdb", absl::StrCat("-h ", directory_, " -U tarot ", name), log)) {
    Die("createdb failed:\n" + ReadFile(log));
  }
  return absl::StrCat("host=", directory_, " user=tarot dbname=", name);
}

void PgCluster::Start() {
  const char* on_off = options_.fsync ? "on" : "off";
  const std::string settings = absl::StrCat(
      "-c listen_addresses= -c unix_socket_directories=", directory_, " -c fsync=", on_off,
      " -c synchronous_commit=", on_off, " -c full_page_writes=", on_off,
      " -c max_connections=200 -c shared_buffers=", options_.fsync ? "128MB" : "32MB",
      // Without recovery_init_sync_method=syncfs, Postgres opens and syncs each file before a
      // recovery, which takes seconds on a busy disk.
      " -c recovery_init_sync_method=syncfs -c log_min_messages=warning",
      options_.standby_of.empty() ? "" : " -c cluster_name=standby");
  const std::string arguments = absl::StrCat("-D ", directory_, "/data -w -t 60 -l ", directory_,
                                             "/postgres.log -o '", settings, "' start");
  // After Kill(), pg_ctl fails until the backends of the killed postmaster have ended.
  for (int attempt = 0; attempt < 50; ++attempt) {
    if (RunPostgres("pg_ctl", arguments, directory_ + "/pg_ctl.log")) return;
    ::usleep(100'000);
  }
  Die("Postgres does not start:\n" + ReadFile(directory_ + "/postgres.log"));
}

void PgCluster::Promote() {
  if (!RunPostgres("pg_ctl", absl::StrCat("-D ", directory_, "/data -w promote"),
                   directory_ + "/pg_ctl.log")) {
    Die("the standby is not promoted:\n" + ReadFile(directory_ + "/pg_ctl.log"));
  }
}

void PgCluster::Stop(const std::string& mode) {
  const std::string arguments = absl::StrCat("-D ", directory_, "/data -w -m ", mode, " stop");
  if (!RunPostgres("pg_ctl", arguments, directory_ + "/pg_ctl.log")) {
    Die("Postgres does not stop:\n" + ReadFile(directory_ + "/pg_ctl.log"));
  }
}

void PgCluster::Kill() {
  const pid_t pid = PostmasterPid();
  if (::kill(pid, SIGKILL) != 0) Die("Postgres cannot be killed");
  // This loop asks the kernel until the postmaster is gone. waitpid() does not work, because pg_ctl
  // started the postmaster, so it is not a child of this process.
  while (::kill(pid, 0) == 0) ::usleep(1'000);
}

void PgCluster::SignalAll(int signal) const {
  const pid_t postmaster = PostmasterPid();
  // Signals the postmaster first. If its children got the signal first, the postmaster could start
  // a new process after that.
  if (::kill(postmaster, signal) != 0) Die("Postgres cannot be signalled");
  std::ifstream children(absl::StrCat("/proc/", postmaster, "/task/", postmaster, "/children"));
  if (!children) Die("the kernel does not list the children of Postgres");
  for (pid_t child = 0; children >> child;) ::kill(child, signal);
}

void PgCluster::Freeze() { SignalAll(SIGSTOP); }

void PgCluster::Thaw() { SignalAll(SIGCONT); }

}  // namespace tarot::testkit

#ifdef __SANITIZE_ADDRESS__
// libpqxx 6.4.5 leaks one libpq result (2 KB) when a connection breaks during a statement.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libpqxx-6.4.so"; }
#endif
