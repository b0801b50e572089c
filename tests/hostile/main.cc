// The program tarot-hostile attacks the public door of real processes while honest players play.
// It fails if an honest move is lost, if the gateway or the door grows by more than 300 MB or stays
// grown, and if a new player cannot sign in afterwards. Prints figures for `tools/dev hostile`.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "libs/base/check.h"
#include "libs/rpc/process.h"
#include "tests/bench/figures.h"
#include "tests/bench/gateway_load.h"
#include "tests/hostile/attacks.h"

ABSL_FLAG(double, seconds, 120, "length of each attack");
ABSL_FLAG(std::string, only, "", "name of the only attack; empty: all of them");
ABSL_FLAG(int, tables, 8, "tables of four honest players");
ABSL_FLAG(double, moves_per_s, 100, "moves of the honest players");
ABSL_FLAG(int, descriptors, 0, "limit of descriptors of the gateway; 0: that of this process");
ABSL_FLAG(bool, direct, false, "attacks the gateway itself: shows what the door is good for");

namespace tarot::hostile {
namespace {

constexpr double kGrowthMaxMb = 300;
constexpr absl::Duration kNormalWithin = absl::Seconds(30);

double ResidentMb(const std::string& pid) {
  std::ifstream statm(absl::StrCat("/proc/", pid, "/statm"));
  double size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

// The gateway, and the workers of the door.
std::vector<std::string> Watched(const e2e::Cluster& cluster) {
  std::vector<std::string> pids = {absl::StrCat(cluster.pids().at("gateway"))};
  const std::string door = absl::StrCat(cluster.pids().at("door"));
  std::ifstream children(absl::StrCat("/proc/", door, "/task/", door, "/children"));
  for (std::string pid; children >> pid;) pids.push_back(pid);
  return pids;
}

// Returns how many watch streams players have opened so far.
int StreamsStarted(const e2e::Cluster& cluster) {
  const std::string command =
      absl::StrCat("curl -sf http://", cluster.MetricsAddressOf("gateway"), "/metrics");
  FILE* const pipe = popen(command.c_str(), "r");
  TAROT_CHECK(pipe != nullptr);
  std::array<char, 4096> line;
  int started = -1;
  while (fgets(line.data(), line.size(), pipe) != nullptr) {
    const absl::string_view text(line.data());
    if (!absl::StartsWith(text, "grpc_server_started_total{grpc_method=\"WatchTable\"")) continue;
    TAROT_CHECK(absl::SimpleAtoi(text.substr(text.rfind(' ')), &started));
  }
  pclose(pipe);
  return started;
}

struct Outcome {
  bench::GatewayResult honest;
  int streams_lost = 0;
  double peak_growth_mb = 0;  // The growth of the process that grew most.
  double kept_growth_mb = 0;  // The same, five seconds after the attack.
  std::string wrong;
};

bool SignsIn(const Target& target) {
  RawConnection connection(target);
  return connection.Call(kSignIn,
                         "\x0a\x03"
                         "Ada",
                         {}, absl::Seconds(5)) == 0;
}

Outcome Run(e2e::Cluster& cluster, bench::GatewayLoad& load, const Attack& attack) {
  Target target = {
      .port = cluster.port("gateway"), .source = 66, .door = cluster.pids().at("door")};
  if (absl::GetFlag(FLAGS_direct)) target.socket = cluster.SocketOf("gateway").substr(5);
  Outcome outcome;
  std::vector<std::pair<std::string, double>> before;
  for (const std::string& pid : Watched(cluster)) before.emplace_back(pid, ResidentMb(pid));
  const auto growth = [&] {
    double most = 0;
    for (const auto& [pid, mb] : before) most = std::max(most, ResidentMb(pid) - mb);
    return most;
  };
  const int streams_before = StreamsStarted(cluster);
  std::atomic<bool> stopping = false;
  std::thread attacker([&] { outcome.wrong = attack.run(target, stopping); });
  std::thread watcher([&] {
    while (!stopping) {
      outcome.peak_growth_mb = std::max(outcome.peak_growth_mb, growth());
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  outcome.honest = load.Run(absl::GetFlag(FLAGS_seconds), absl::GetFlag(FLAGS_moves_per_s));
  load.Pause();
  stopping = true;
  attacker.join();
  watcher.join();
  const Target newcomer = {.port = cluster.port("gateway")};
  const bool normal = e2e::Eventually(kNormalWithin, [&] { return SignsIn(newcomer); });
  std::this_thread::sleep_for(std::chrono::seconds(5));
  outcome.kept_growth_mb = growth();
  // A client that loses its stream opens another one.
  outcome.streams_lost = StreamsStarted(cluster) - streams_before;
  if (!normal) outcome.wrong += " No new player could sign in afterwards.";
  if (outcome.honest.lost > 0) outcome.wrong += " Honest moves were lost.";
  if (outcome.streams_lost > 0) outcome.wrong += " Honest players lost their streams.";
  if (outcome.peak_growth_mb > kGrowthMaxMb) outcome.wrong += " A process grew too much.";
  return outcome;
}

int Main() {
  rpc::RaiseDescriptorLimit();  // The attackers' connections need them.
  e2e::Cluster cluster({.population = 0, .rules_flags = {"--deal_pause=1ms"}, .door = true});
  if (const auto most = static_cast<rlim_t>(absl::GetFlag(FLAGS_descriptors)); most > 0) {
    const rlimit limit = {.rlim_cur = most, .rlim_max = most};
    TAROT_CHECK(prlimit(cluster.pids().at("gateway"), RLIMIT_NOFILE, &limit, nullptr) == 0);
  }
  bench::GatewayLoad load(cluster, absl::GetFlag(FLAGS_tables));
  bench::Figures figures;
  bool all_fine = true;
  for (const Attack& attack : Attacks()) {
    if (const std::string only = absl::GetFlag(FLAGS_only); !only.empty() && only != attack.name) {
      continue;
    }
    const Outcome outcome = Run(cluster, load, attack);
    std::fprintf(stderr,
                 "%s: %s; honest: %.0f moves/s, p99 %.1f ms, %d lost; grew by %.0f MB, then %.0f MB"
                 "%s%s\n",
                 attack.name.c_str(), attack.text.c_str(), outcome.honest.moves_per_s,
                 outcome.honest.answer_p99_ms, outcome.honest.lost, outcome.peak_growth_mb,
                 outcome.kept_growth_mb,
                 outcome.wrong.empty() ? "" : ". WRONG: ", outcome.wrong.c_str());
    all_fine = all_fine && outcome.wrong.empty();
    const std::string prefix = absl::StrCat("hostile_", attack.name, "_");
    figures.Add(prefix + "honest_p99_ms", outcome.honest.answer_p99_ms, "ms");
    figures.Add(prefix + "lost", outcome.honest.lost, "moves");
    figures.Add(prefix + "rss_mb", outcome.peak_growth_mb, "MB");
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
