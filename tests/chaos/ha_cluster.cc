#include "tests/chaos/ha_cluster.h"

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <pqxx/pqxx>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/eventually.h"

namespace tarot::chaos {
namespace {

constexpr int kNodes = 3;
constexpr char kDatabase[] = "tarot";
constexpr char kPassword[] = "test";

std::string HostOf(int node) { return absl::StrCat("127.0.0.", node); }

}  // namespace

HaCluster::HaCluster() : user_(geteuid() == 0 ? "postgres" : "") {
  for (const char* program : {"/usr/bin/etcd", "/usr/bin/patroni"}) {
    if (access(program, X_OK) == 0) continue;
    std::fprintf(stderr, "HaCluster: %s is missing; tools/dev installs it\n", program);
    std::abort();
  }
  char path[] = "/tmp/tarot-ha-XXXXXX";
  TAROT_CHECK(mkdtemp(path) != nullptr);
  folder_ = path;
  reaper_.emplace(absl::StrCat("for pid in $(cat ", folder_, "/*.pid; head -qn1 ", folder_,
                               "/node*/data/postmaster.pid); do kill -KILL $(cat "
                               "/proc/$pid/task/$pid/children) $pid; done; ",
                               "rm -rf ", folder_));
  if (!user_.empty()) {
    const passwd* user = getpwnam(user_.c_str());
    TAROT_CHECK(user != nullptr && chown(path, user->pw_uid, user->pw_gid) == 0);
  }
  MakeIdentity();
  port_ = e2e::FreePorts(4);
  // The script is piped to bash, because the user `postgres` perhaps cannot read the source tree.
  const std::string configure = absl::StrCat(
      "TAROT_POSTGRES_PASSWORD=", kPassword, " TAROT_REPLICATOR_PASSWORD=", kPassword, " ",
      user_.empty() ? "" : "setpriv --reuid=postgres --regid=postgres --init-groups -- ",
      "bash -s -- ", folder_, " ", port_, " ", HostOf(1), " ", HostOf(2), " ", HostOf(3), " <",
      TAROT_SOURCE_DIR, "/deploy/ha/configure.sh");
  TAROT_CHECK(std::system(configure.c_str()) == 0);
  for (int node = 1; node <= kNodes; ++node) StartNode(node);
  TAROT_CHECK(WaitUntilSafe());
  // On a busy machine the cluster may change its primary meanwhile.
  TAROT_CHECK(e2e::Eventually(absl::Minutes(3), [this] {
    const int primary = Primary();
    if (primary == 0) return false;
    Ask(primary, absl::StrCat("CREATE DATABASE ", kDatabase));
    return Ask(primary, absl::StrCat("SELECT datname FROM pg_database WHERE datname = '", kDatabase,
                                     "'")) == kDatabase;
  }));
}

void HaCluster::MakeIdentity() const {
  const std::string identities = folder_ + "/identities";
  const std::string owner = user_.empty() ? "" : absl::StrCat("-o ", user_, " -g ", user_, " ");
  const std::string command = absl::StrCat(
      "mkdir -p ", identities, "/postgres && printf '%s\\n' ", HostOf(1), " ", HostOf(2), " ",
      HostOf(3), " >", identities, "/postgres/addresses && ", TAROT_SOURCE_DIR,
      "/deploy/identity/identity.sh make ", identities, " postgres && install -m 600 ", owner,
      identities, "/postgres/tls.pem ", identities, "/public/ca.pem ", folder_);
  TAROT_CHECK(std::system(command.c_str()) == 0);
}

HaCluster::~HaCluster() {
  reaper_.reset();
  for (const auto& [name, pid] : pids_) waitpid(pid, nullptr, 0);
}

std::string HaCluster::dsn() const {
  const std::string name = "postgres.tarot.internal";
  return absl::StrCat("host=", name, ",", name, ",", name, " hostaddr=", HostOf(1), ",", HostOf(2),
                      ",", HostOf(3), " port=", port_, " dbname=", kDatabase, " ", Login(),
                      " target_session_attrs=read-write");
}

std::string HaCluster::Login() const {
  return absl::StrCat("user=postgres password=", kPassword,
                      " sslmode=verify-full sslrootcert=", folder_, "/ca.pem");
}

std::optional<std::string> HaCluster::Ask(int node, const std::string& sql) const {
  try {
    // With connect_timeout, a frozen node does not block the test.
    pqxx::connection connection(absl::StrCat("host=", HostOf(node), " port=", port_, " ", Login(),
                                             " dbname=postgres connect_timeout=2"));
    const pqxx::result rows = pqxx::nontransaction(connection).exec(sql);
    return rows.empty() ? std::string() : rows[0][0].as<std::string>("");
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

int HaCluster::Primary() const {
  for (int node = 1; node <= kNodes; ++node) {
    if (Ask(node, "SELECT pg_is_in_recovery()") == "f") return node;
  }
  return 0;
}

int HaCluster::SyncStandby() const {
  if (Primary() == 0) return 0;
  // Patroni writes the name of the synchronous standby into etcd some seconds after Postgres shows
  // this standby. Until then, Patroni lets no node replace a lost primary.
  for (int node = 1; node <= kNodes; ++node) {
    const std::string call =
        absl::StrCat("curl -sf -m 2 -o /dev/null --cacert ", folder_, "/ca.pem https://",
                     HostOf(node), ":", port_ + 1, "/synchronous");
    if (std::system(call.c_str()) == 0) return node;
  }
  return 0;
}

bool HaCluster::WaitUntilSafe() const {
  return e2e::Eventually(absl::Minutes(3), [this] { return SyncStandby() != 0; });
}

bool HaCluster::WaitForStandbys(int count) const {
  return e2e::Eventually(absl::Minutes(3), [&] {
    const int primary = Primary();
    return primary != 0 &&
           Ask(primary, "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") ==
               absl::StrCat(count);
  });
}

void HaCluster::Start(const std::string& name, const std::string& command) {
  const std::string log = absl::StrCat(folder_, "/", name, ".log");
  const std::string as_user =
      user_.empty()
          ? "setpriv --pdeathsig KILL -- "
          : "setpriv --reuid=postgres --regid=postgres --init-groups --pdeathsig KILL -- ";
  const std::string line = absl::StrCat("exec ", as_user, command);
  const pid_t pid = fork();
  TAROT_CHECK(pid >= 0);
  if (pid == 0) {
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(127);
  }
  pids_[name] = pid;
  std::ofstream(absl::StrCat(folder_, "/", name, ".pid")) << pid << "\n";
}

void HaCluster::StartNode(int node) {
  const std::string etcd = absl::StrCat("etcd", node), patroni = absl::StrCat("patroni", node);
  if (!pids_.contains(etcd)) {
    Start(etcd, absl::StrCat("etcd --config-file ", folder_, "/", etcd, ".yml"));
  }
  if (!pids_.contains(patroni)) {
    Start(patroni, absl::StrCat("patroni ", folder_, "/", patroni, ".yml"));
  }
}

std::optional<pid_t> HaCluster::Postmaster(int node) const {
  std::ifstream in(absl::StrCat(folder_, "/node", node, "/data/postmaster.pid"));
  pid_t pid = 0;
  if (!(in >> pid)) return std::nullopt;
  return pid;
}

void HaCluster::SignalServer(int node, int signal) const {
  const std::optional<pid_t> postmaster = Postmaster(node);
  if (!postmaster) return;
  std::ifstream list(absl::StrCat("/proc/", *postmaster, "/task/", *postmaster, "/children"));
  // The postmaster gets the signal first, so that it starts no new processes during the loop.
  std::vector<pid_t> pids = {*postmaster};
  for (pid_t child = 0; list >> child;) pids.push_back(child);
  for (const pid_t pid : pids) kill(pid, signal);
}

void HaCluster::Signal(const std::string& name, int signal) const {
  const auto found = pids_.find(name);
  if (found != pids_.end()) kill(found->second, signal);
}

void HaCluster::KillServer(int node) { SignalServer(node, SIGKILL); }

void HaCluster::KillNode(int node) {
  for (const std::string& name : {absl::StrCat("patroni", node), absl::StrCat("etcd", node)}) {
    Signal(name, SIGKILL);
    if (const auto found = pids_.find(name); found != pids_.end()) {
      waitpid(found->second, nullptr, 0);
      pids_.erase(found);
    }
  }
  KillServer(node);
}

void HaCluster::FreezeServer(int node) { SignalServer(node, SIGSTOP); }

void HaCluster::FreezeNode(int node) {
  Signal(absl::StrCat("patroni", node), SIGSTOP);
  Signal(absl::StrCat("etcd", node), SIGSTOP);
  FreezeServer(node);
}

void HaCluster::Thaw(int node) {
  SignalServer(node, SIGCONT);
  Signal(absl::StrCat("etcd", node), SIGCONT);
  Signal(absl::StrCat("patroni", node), SIGCONT);
}

void HaCluster::Switchover() {
  const int from = Primary(), to = SyncStandby();
  TAROT_CHECK(from != 0 && to != 0);
  const std::string call = absl::StrCat(
      "curl -sSf -o /dev/null --cacert ", folder_, "/ca.pem --cert ", folder_, "/tls.pem https://",
      HostOf(from), ":", port_ + 1, "/switchover -d '{\"leader\": ", "\"node", from,
      "\", \"candidate\": \"node", to, "\"}'");
  // Patroni refuses the call until it knows the sync standby.
  TAROT_CHECK(e2e::Eventually(absl::Minutes(1), [&] { return std::system(call.c_str()) == 0; }));
}

}  // namespace tarot::chaos
