// The program tarot-hostile attacks the public door (HAProxy) of real processes while honest
// players play. The program fails if an honest player loses a move or a stream, or if the 99th
// percentile of the times of honest moves is too long. It fails if a new player with another
// address cannot sign in. It also fails if a process grows by more than 300 MB during an attack, if
// the process is still more than 100 MB larger five seconds after the attack, or if the process
// starts more than 100 threads. Finally, it fails if the rules service makes more lookups of tables
// per second than Attack allows. It prints figures for `tools/dev hostile`.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <pqxx/pqxx>
#include <string>
#include <system_error>
#include <thread>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "libs/base/check.h"
#include "libs/rpc/process.h"
#include "tests/bench/figures.h"
#include "tests/bench/gateway_load.h"
#include "tests/hostile/attacks.h"

ABSL_FLAG(double, seconds, 120, "length of each attack");
ABSL_FLAG(std::vector<std::string>, only, {}, "names of the attacks to run; empty: all attacks");
ABSL_FLAG(int, tables, 8, "number of tables of four honest players");
ABSL_FLAG(double, moves_per_s, 100, "moves per second of the honest players");
ABSL_FLAG(bool, apart, false,
          "attacks from eight other addresses; otherwise from the honest players' own address");
ABSL_FLAG(double, p99_max_ms, 0,
          "highest p99 of honest moves; 0: that of the attack, 100 ms or less");
ABSL_FLAG(int, descriptors, 0, "limit of descriptors of the gateway; 0: the limit of this process");
ABSL_FLAG(bool, direct, false, "attacks the gateway itself, to show what the door prevents");

namespace tarot::hostile {
namespace {

constexpr double kGrowthMaxMb = 300;
constexpr double kKeptGrowthMaxMb = 100;
constexpr double kGrowthMaxThreads = 100;
constexpr absl::Duration kNormalWithin = absl::Seconds(5);

double ResidentMb(const std::string& pid) {
  std::ifstream statm(absl::StrCat("/proc/", pid, "/statm"));
  double size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

double Threads(const std::string& pid) {
  std::error_code gone;  // Set if the process has ended. Then nothing throws.
  const std::filesystem::directory_iterator threads(absl::StrCat("/proc/", pid, "/task"), gone);
  return static_cast<double>(std::distance(begin(threads), end(threads)));
}

// Measures how much each process of the platform grows. Thread-safe.
class Growth {
 public:
  // `size` returns the size of the process with this pid: its megabytes, or its threads.
  Growth(const e2e::Cluster& cluster, double (*size)(const std::string& pid))
      : cluster_(cluster), size_(size) {
    (void)Most();
  }

  // Returns the growth of the process that has grown most, and its name. The growth of a process
  // counts from the first call of Most that finds the process.
  std::pair<double, std::string> Most() {
    const std::lock_guard lock(mutex_);
    std::pair<double, std::string> most = {0, "none"};
    const auto look = [&](const std::string& pid, const std::string& name) {
      const double now = size_(pid);
      const double growth = now - before_.try_emplace(pid, now).first->second;
      if (growth > most.first) most = {growth, name};
    };
    for (const auto& [name, pid] : cluster_.pids()) {
      const std::string own = absl::StrCat(pid);
      look(own, name);
      // HAProxy's master process has worker processes, which count too.
      std::ifstream children(absl::StrCat("/proc/", own, "/task/", own, "/children"));
      for (std::string child; children >> child;) look(child, name);
    }
    return most;
  }

 private:
  const e2e::Cluster& cluster_;
  double (*const size_)(const std::string& pid);
  std::mutex mutex_;
  std::map<std::string, double> before_;
};

// Returns the sum of the series of `process` that begin with `prefix`.
double Series(const e2e::Cluster& cluster, const std::string& process, absl::string_view prefix) {
  const std::string command =
      absl::StrCat("curl -sf http://", cluster.MetricsAddressOf(process), "/metrics");
  FILE* const pipe = popen(command.c_str(), "r");
  TAROT_CHECK(pipe != nullptr);
  std::array<char, 4096> line;
  double sum = 0;
  while (fgets(line.data(), line.size(), pipe) != nullptr) {
    const absl::string_view text(line.data());
    double value = 0;
    if (!absl::StartsWith(text, prefix)) continue;
    TAROT_CHECK(absl::SimpleAtod(absl::StripAsciiWhitespace(text.substr(text.rfind(' '))), &value));
    sum += value;
  }
  pclose(pipe);
  return sum;
}

// Returns how many watch streams players have opened so far.
int StreamsStarted(const e2e::Cluster& cluster) {
  return static_cast<int>(
      Series(cluster, "gateway", "grpc_server_started_total{grpc_method=\"WatchTable\""));
}

// Returns how many statements the rules service has made to look up tables that callers named.
double Lookups(const e2e::Cluster& cluster) {
  double sum = 0;
  for (const char* statement : {"rules_find_tables", "rules_get_table"}) {
    sum += Series(cluster, "rules",
                  absl::StrCat("tarot_pg_statement_seconds_count{statement=\"", statement, "\""));
  }
  return sum;
}

struct Outcome {
  bench::GatewayResult honest;
  int streams_lost = 0;
  double lookups_per_s = 0;                       // SQL statements that find tables.
  int newcomers = 0, newcomers_refused = 0;       // Numbers of new players, and of failed sign-ins.
  std::pair<double, std::string> peak_growth_mb;  // The largest growth during the attack.
  std::pair<double, std::string> kept_growth_mb;  // The largest growth that remains five seconds
                                                  // after the attack.
  std::pair<double, std::string> peak_growth_threads;
  std::string wrong;
};

// Returns whether a new player can sign in within five seconds. Like other clients, the player
// tries again when the connection is lost.
bool SignsIn(const Target& target) {
  return e2e::Eventually(kNormalWithin, [&] {
    RawConnection connection(target);
    return connection
               .Call(kSignIn,
                     "\x0a\x03"
                     "Ada",
                     {}, kNormalWithin)
               .status == 0;
  });
}

Outcome Run(e2e::Cluster& cluster, bench::GatewayLoad& load, const Attack& attack) {
  Target target = {.port = cluster.port("gateway"),
                   .page_port = cluster.page_port("gateway"),
                   .door = cluster.pids().at("door")};
  const Target newcomer = {.port = target.port, .source = 2};
  if (absl::GetFlag(FLAGS_apart)) target.source = 66, target.sources = 8;
  if (absl::GetFlag(FLAGS_direct)) target.socket = cluster.SocketOf("gateway").substr(5);
  Outcome outcome;
  Growth growth(cluster, ResidentMb);
  Growth thread_growth(cluster, Threads);
  const int streams_before = StreamsStarted(cluster);
  const double lookups_before = Lookups(cluster);
  const Stopwatch watch;
  std::atomic<bool> stopping = false;
  std::thread attacker([&] { outcome.wrong = attack.run(target, stopping); });
  std::thread watcher([&] {
    while (!stopping) {
      outcome.peak_growth_mb = std::max(outcome.peak_growth_mb, growth.Most());
      outcome.peak_growth_threads = std::max(outcome.peak_growth_threads, thread_growth.Most());
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  std::thread newcomers([&] {
    while (!stopping) {
      ++outcome.newcomers;
      outcome.newcomers_refused += !SignsIn(newcomer);
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
  });
  outcome.honest = load.Run(absl::GetFlag(FLAGS_seconds), absl::GetFlag(FLAGS_moves_per_s));
  load.Pause();
  outcome.lookups_per_s =
      (Lookups(cluster) - lookups_before) / absl::ToDoubleSeconds(watch.Elapsed());
  stopping = true;
  attacker.join();
  watcher.join();
  newcomers.join();
  const bool normal = e2e::Eventually(kNormalWithin, [&] {
    outcome.kept_growth_mb = growth.Most();
    return outcome.kept_growth_mb.first <= kKeptGrowthMaxMb && SignsIn({.port = target.port});
  });
  const bench::GatewayResult after = load.Run(1, absl::GetFlag(FLAGS_moves_per_s));
  load.Pause();
  // A client that loses its stream opens another stream.
  if (!attack.watches) outcome.streams_lost = StreamsStarted(cluster) - streams_before;
  double p99_max_ms = absl::GetFlag(FLAGS_p99_max_ms);
  if (p99_max_ms == 0) p99_max_ms = attack.honest_p99_max_ms;
  if (!normal) outcome.wrong += " Play was not normal 5 s after the attack.";
  if (after.moves_per_s == 0) outcome.wrong += " After the attack no honest move was answered.";
  outcome.honest.lost += after.lost;
  if (outcome.honest.lost > 0) outcome.wrong += " Honest moves were lost.";
  if (outcome.streams_lost > 0) outcome.wrong += " Honest players lost their streams.";
  if (outcome.newcomers_refused > 0) outcome.wrong += " New players could not sign in.";
  if (outcome.peak_growth_mb.first > kGrowthMaxMb) outcome.wrong += " A process grew too much.";
  if (outcome.kept_growth_mb.first > kKeptGrowthMaxMb)
    outcome.wrong += " A process did not shrink again.";
  if (outcome.peak_growth_threads.first > kGrowthMaxThreads) {
    outcome.wrong += " A process started too many threads.";
  }
  if (outcome.lookups_per_s > attack.lookups_per_s_max) {
    outcome.wrong += absl::StrCat(" Rules made ", outcome.lookups_per_s, " lookups a second.");
  }
  if (outcome.honest.answer_p99_ms > p99_max_ms) {
    outcome.wrong += " Honest moves waited too long.";
  }
  return outcome;
}

// Adds finished matches, so that their lists have many pages.
void AddFinishedTables(const std::string& dsn) {
  pqxx::connection connection(dsn);
  pqxx::nontransaction(connection).exec(R"sql(
    INSERT INTO rules.tables (table_id, rule_set, deal_count, move_limit_ms, time_bank_ms, ranked,
                              create_time, finish_time, deals_scored, totals)
    SELECT gen_random_uuid(), 'fft', 4, 30000, 60000, false, now() - i * interval '1 minute',
           now(), 4, '{30,-10,-10,-10}'
    FROM generate_series(1, 10000) AS i;
    INSERT INTO rules.table_seats (table_id, seat, player_id, display_name, bot_level)
    SELECT table_id, seat, gen_random_uuid(), 'Ada', ''
    FROM rules.tables, generate_series(0, 3) AS seat WHERE finish_time IS NOT NULL;
    INSERT INTO rules.deals (table_id, number, first_revision, last_revision, finish_time,
                             deals_scored, totals)
    SELECT table_id, number, number * 100, number * 100 + 90, now(), number, '{30,-10,-10,-10}'
    FROM rules.tables, generate_series(1, 4) AS number WHERE finish_time IS NOT NULL)sql");
}

int Main() {
  rpc::RaiseDescriptorLimit();  // Each connection needs one.
  e2e::Cluster cluster({.population = 0,
                        .rules_flags = {"--deal_pause=1ms"},
                        .door = true,
                        .fsync = false});  // No attack concerns the disk.
  if (const auto most = static_cast<rlim_t>(absl::GetFlag(FLAGS_descriptors)); most > 0) {
    const rlimit limit = {.rlim_cur = most, .rlim_max = most};
    TAROT_CHECK(prlimit(cluster.pids().at("gateway"), RLIMIT_NOFILE, &limit, nullptr) == 0);
  }
  AddFinishedTables(cluster.dsn());
  bench::Figures figures;
  bool all_fine = true;
  bool first = true;
  const std::vector<std::string> only = absl::GetFlag(FLAGS_only);
  for (const Attack& attack : Attacks()) {
    if (!only.empty() && std::find(only.begin(), only.end(), attack.name) == only.end()) continue;
    // Makes new tables for each attack, because a match ends after 100 deals. The previous attack
    // may have used up the sign-ins of this address; the gateway allows this address five new
    // sign-ins a second.
    if (!first) absl::SleepFor(absl::Seconds(2 + absl::GetFlag(FLAGS_tables) * 4 / 5));
    first = false;
    bench::GatewayLoad load(cluster, absl::GetFlag(FLAGS_tables));
    const Outcome outcome = Run(cluster, load, attack);
    std::fprintf(stderr,
                 "%s: %s; honest: %.0f moves/s, p99 %.1f ms, %d lost, %d of %d newcomers refused; "
                 "%s grew by %.0f MB, then %s by %.0f MB; %s by %.0f threads%s%s\n",
                 attack.name.c_str(), attack.text.c_str(), outcome.honest.moves_per_s,
                 outcome.honest.answer_p99_ms, outcome.honest.lost, outcome.newcomers_refused,
                 outcome.newcomers, outcome.peak_growth_mb.second.c_str(),
                 outcome.peak_growth_mb.first, outcome.kept_growth_mb.second.c_str(),
                 outcome.kept_growth_mb.first, outcome.peak_growth_threads.second.c_str(),
                 outcome.peak_growth_threads.first,
                 outcome.wrong.empty() ? "" : ". WRONG:", outcome.wrong.c_str());
    all_fine = all_fine && outcome.wrong.empty();
    const std::string prefix =
        absl::StrCat("hostile_", attack.name, absl::GetFlag(FLAGS_apart) ? "_apart_" : "_");
    figures.Add(prefix + "honest_p99_ms", outcome.honest.answer_p99_ms, "ms");
    figures.Add(prefix + "lost", outcome.honest.lost, "moves");
    figures.Add(prefix + "rss_mb", outcome.peak_growth_mb.first, "MB");
    figures.Add(prefix + "threads", outcome.peak_growth_threads.first, "threads");
  }
  figures.Print();
  return all_fine ? 0 : 1;
}

}  // namespace
}  // namespace tarot::hostile

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  return tarot::hostile::Main();
}
