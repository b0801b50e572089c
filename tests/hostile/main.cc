// The program tarot-hostile attacks the public door (HAProxy) of real processes while three groups
// of honest players play: players who share one connection, players with a connection each, and
// browsers. The program fails if an honest player loses a move or a stream, if the honest players
// cannot make their moves at the given rate, or if the 99th percentile of the times of honest moves
// or of their views is too long, during the attack or after it. It fails if a new player with
// another address cannot sign in and call on a new connection. It also fails if a process grows by
// more than 300 MB during an attack, if the process is still more than 100 MB larger five seconds
// after the attack, or if the process starts more than 100 threads. Finally, it fails if the rules
// service makes more lookups of tables per second than Attack allows. It prints figures for
// `tools/dev hostile`.
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
#include "tarot/gateway/v1/session_service.pb.h"
#include "tests/bench/figures.h"
#include "tests/bench/gateway_load.h"
#include "tests/hostile/attacks.h"
#include "tests/hostile/honest_browsers.h"

ABSL_FLAG(double, seconds, 120, "length of each attack");
ABSL_FLAG(std::vector<std::string>, only, {}, "names of the attacks to run; empty: all attacks");
ABSL_FLAG(
    int, tables, 8,
    "number of tables of four honest players; players of two tables have connections of their "
    "own; one more table is for browsers");
ABSL_FLAG(double, moves_per_s, 100, "moves per second of the honest players without browsers");
ABSL_FLAG(double, browser_moves_per_s, 10, "moves per second of the browsers");
ABSL_FLAG(double, rate_min, 0.9, "least share of these moves that the honest players must make");
ABSL_FLAG(bool, apart, false,
          "attacks from eight other addresses; otherwise from the honest players' own address");
ABSL_FLAG(double, slack, 1,
          "factor for the highest p99 of honest moves, for a machine on which other programs run");
ABSL_FLAG(bool, fsync, true, "Postgres uses fsync");
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

// The result of all honest players together.
struct Honest {
  double moves_per_s = 0, browser_moves_per_s = 0;
  double answer_p99_ms = 0, watch_p99_ms = 0, browser_p99_ms = 0;  // The worst group.
  int lost = 0;
};

// All honest players of one attack.
class HonestPlayers {
 public:
  explicit HonestPlayers(e2e::Cluster& cluster)
      : shared_(cluster, absl::GetFlag(FLAGS_tables) - kOwnTables),
        own_(cluster, kOwnTables, "", true),
        browsers_(cluster, 1) {
    // The door (HAProxy) knows a connection after 20 good answers. Connections that are not known
    // wait longer during an attack. So each player with a connection makes about 40 moves first.
    // This rate is far below the gateway's limit for a player: a player whose move is refused never
    // moves again. Meanwhile the door forgets the moves that the other players made at full speed.
    shared_.Pause();
    (void)own_.Run(2, 150);
    own_.Pause();
  }

  Honest Run(double seconds) {
    const double rate = absl::GetFlag(FLAGS_moves_per_s) / absl::GetFlag(FLAGS_tables);
    bench::GatewayResult own;
    BrowserResult browsers;
    std::thread own_thread([&] { own = own_.Run(seconds, rate * kOwnTables); });
    std::thread browser_thread(
        [&] { browsers = browsers_.Run(seconds, absl::GetFlag(FLAGS_browser_moves_per_s)); });
    const bench::GatewayResult shared =
        shared_.Run(seconds, absl::GetFlag(FLAGS_moves_per_s) - rate * kOwnTables);
    own_thread.join();
    browser_thread.join();
    shared_.Pause();
    own_.Pause();
    return {.moves_per_s = shared.moves_per_s + own.moves_per_s,
            .browser_moves_per_s = browsers.moves / seconds,
            .answer_p99_ms = std::max(shared.answer_p99_ms, own.answer_p99_ms),
            .watch_p99_ms = std::max(shared.watch_p99_ms, own.watch_p99_ms),
            .browser_p99_ms = browsers.answer_p99_ms,
            .lost = shared.lost + own.lost + browsers.lost};
  }

 private:
  static constexpr int kOwnTables = 2;

  bench::GatewayLoad shared_;
  bench::GatewayLoad own_;
  HonestBrowsers browsers_;
};

// Returns what is wrong with the result of honest players, or an empty text. `when` is "" or a part
// of the sentence.
std::string Judge(const Honest& honest, double p99_max_ms, absl::string_view when) {
  std::string wrong;
  const double rate_min = absl::GetFlag(FLAGS_rate_min);
  if (honest.lost > 0) absl::StrAppend(&wrong, " Honest moves were lost", when, ".");
  if (honest.moves_per_s < rate_min * absl::GetFlag(FLAGS_moves_per_s)) {
    absl::StrAppend(&wrong, " Honest players made only ", honest.moves_per_s, " moves/s", when,
                    ".");
  }
  if (honest.browser_moves_per_s < rate_min * absl::GetFlag(FLAGS_browser_moves_per_s)) {
    absl::StrAppend(&wrong, " Browsers made only ", honest.browser_moves_per_s, " moves/s", when,
                    ".");
  }
  if (honest.answer_p99_ms > p99_max_ms) {
    absl::StrAppend(&wrong, " Honest moves waited too long", when, ".");
  }
  if (honest.watch_p99_ms > p99_max_ms) {
    absl::StrAppend(&wrong, " Honest players saw moves too late", when, ": p99 ",
                    honest.watch_p99_ms, " ms.");
  }
  if (honest.browser_p99_ms > p99_max_ms) {
    absl::StrAppend(&wrong, " Moves of browsers waited too long", when, ": p99 ",
                    honest.browser_p99_ms, " ms.");
  }
  return wrong;
}

struct Outcome {
  Honest honest;
  int streams_lost = 0;
  double lookups_per_s = 0;                       // SQL statements that find tables.
  int newcomers = 0, newcomers_refused = 0;       // Numbers of new players, and of failed sign-ins.
  std::pair<double, std::string> peak_growth_mb;  // The largest growth during the attack.
  std::pair<double, std::string> kept_growth_mb;  // The largest growth that remains five seconds
                                                  // after the attack.
  std::pair<double, std::string> peak_growth_threads;
  std::string wrong;
};

// Returns whether a new player can sign in within five seconds, and make a call on another new
// connection. Like other clients, the player tries again when the connection is lost.
bool SignsIn(const Target& target) {
  gateway::v1::CreateGuestSessionResponse guest;
  const bool signed_in = e2e::Eventually(kNormalWithin, [&] {
    const Answer answer = RawConnection(target).Call(kSignIn,
                                                     "\x0a\x03"
                                                     "Ada",
                                                     {}, kNormalWithin);
    return answer.status == 0 && guest.ParseFromString(answer.message);
  });
  return signed_in && e2e::Eventually(kNormalWithin, [&] {
           return RawConnection(target)
                      .Call("/tarot.matchmaking.v1.MatchmakingService/ListQueues", "",
                            {{"authorization", "Bearer " + guest.session().token()}}, kNormalWithin)
                      .status == 0;
         });
}

Outcome Run(e2e::Cluster& cluster, HonestPlayers& players, const Attack& attack) {
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
  outcome.honest = players.Run(absl::GetFlag(FLAGS_seconds));
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
  const Honest after = players.Run(2);
  // A client that loses its stream opens another stream.
  if (!attack.watches) outcome.streams_lost = StreamsStarted(cluster) - streams_before;
  const double p99_max_ms = attack.honest_p99_max_ms * absl::GetFlag(FLAGS_slack);
  if (!normal) outcome.wrong += " Play was not normal 5 s after the attack.";
  outcome.wrong += Judge(outcome.honest, p99_max_ms, "");
  outcome.wrong += Judge(after, p99_max_ms, " after the attack");
  outcome.honest.lost += after.lost;
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

// Makes a folder with a page, whose script has 190 kB. Returns its path.
std::string MakePage() {
  const std::string folder =
      std::filesystem::temp_directory_path() / absl::StrCat("tarot_hostile_page_", getpid());
  std::filesystem::create_directories(folder + "/assets");
  std::ofstream(folder + "/index.html") << "<!doctype html><title>tarot</title>";
  std::ofstream(folder + "/assets/main.js") << std::string(190'000, 'x');
  return folder;
}

int Main() {
  rpc::RaiseDescriptorLimit();  // Each connection needs one.
  const std::string page = MakePage();
  e2e::Cluster cluster({.population = 0,
                        .rules_flags = {"--deal_pause=1ms"},
                        .gateway_flags = {"--page_dir=" + page},
                        .door = true,
                        .fsync = absl::GetFlag(FLAGS_fsync)});
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
    HonestPlayers players(cluster);
    const Outcome outcome = Run(cluster, players, attack);
    std::fprintf(stderr,
                 "%s: %s; honest: %.0f moves/s, p99 %.1f ms, views %.1f ms, browsers %.0f moves/s, "
                 "p99 %.1f ms, %d lost, %d of %d newcomers refused; "
                 "%s grew by %.0f MB, then %s by %.0f MB; %s by %.0f threads%s%s\n",
                 attack.name.c_str(), attack.text.c_str(), outcome.honest.moves_per_s,
                 outcome.honest.answer_p99_ms, outcome.honest.watch_p99_ms,
                 outcome.honest.browser_moves_per_s, outcome.honest.browser_p99_ms,
                 outcome.honest.lost, outcome.newcomers_refused, outcome.newcomers,
                 outcome.peak_growth_mb.second.c_str(), outcome.peak_growth_mb.first,
                 outcome.kept_growth_mb.second.c_str(), outcome.kept_growth_mb.first,
                 outcome.peak_growth_threads.second.c_str(), outcome.peak_growth_threads.first,
                 outcome.wrong.empty() ? "" : ". WRONG:", outcome.wrong.c_str());
    all_fine = all_fine && outcome.wrong.empty();
    const std::string prefix =
        absl::StrCat("hostile_", attack.name, absl::GetFlag(FLAGS_apart) ? "_apart_" : "_");
    figures.Add(prefix + "honest_p99_ms", outcome.honest.answer_p99_ms, "ms");
    figures.Add(prefix + "browser_p99_ms", outcome.honest.browser_p99_ms, "ms");
    figures.Add(prefix + "lost", outcome.honest.lost, "moves");
    figures.Add(prefix + "rss_mb", outcome.peak_growth_mb.first, "MB");
    figures.Add(prefix + "threads", outcome.peak_growth_threads.first, "threads");
  }
  figures.Print();
  std::filesystem::remove_all(page);
  return all_fine ? 0 : 1;
}

}  // namespace
}  // namespace tarot::hostile

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  return tarot::hostile::Main();
}
