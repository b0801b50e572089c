// The program tarot-soak plays matches of one deal through the gateway, one after another. Its
// clients lose their connections at random. During these matches, visitors sign in, watch some
// tables and leave. The program prints the resident memory of each process ten times during the
// run. It fails if a process used clearly more memory in the last quarter of the time than in the
// second quarter. It also fails if no match or no visit has ended.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/real_clock.h"
#include "tests/bench/figures.h"
#include "tests/e2e/cluster.h"
#include "tools/load/load.h"

ABSL_FLAG(double, minutes, 10, "length of the run");
ABSL_FLAG(int, tables, 32, "tables in play, of three, four and five players, one of them a bot");
ABSL_FLAG(double, moves_per_s, 500, "limit of moves of people, for all tables together");

namespace tarot::bench {
namespace {

constexpr int kSamples = 40;
// Allocators keep freed memory. So in the last quarter a process may use kGrowthShare times the
// memory of the second quarter, plus kGrowthMiB. A longer run finds even a leak of a byte per move.
constexpr double kGrowthShare = 1.1;
constexpr double kGrowthMiB = 8;

double ResidentMiB(pid_t pid) {
  std::ifstream statm(absl::StrCat("/proc/", pid, "/statm"));
  double size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// Signs in, watches some tables for a moment, and leaves. Repeats this until `stopping` is true.
void ComeAndGo(e2e::Cluster& cluster, const std::atomic<bool>& stopping, std::atomic<int>& visits) {
  while (!stopping) {
    const std::unique_ptr<client::Client> client = cluster.SignIn("visitor");
    const auto page = client->Call(&client::Tables::ListTables, {});
    if (!page.ok()) continue;
    std::vector<std::unique_ptr<client::Watch>> watches;
    for (const rules::v1::Table& table : page->tables()) {
      watches.push_back(client->WatchTable(
          table.name(), std::nullopt, [](const rules::v1::Table&) {}, [](const absl::Status&) {}));
      if (watches.size() == 8) break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ++visits;
  }
}

// Returns the median of the samples of one quarter of the run; `quarter` is 0 to 3.
double MedianOf(const std::vector<double>& samples, std::size_t quarter) {
  const auto size = static_cast<std::ptrdiff_t>(samples.size() / 4);
  const auto first = samples.begin() + static_cast<std::ptrdiff_t>(quarter) * size;
  return Quantile({first, first + size}, 0.5);
}

load::Options OptionsOfLoad(const e2e::Cluster& cluster) {
  const int tables = absl::GetFlag(FLAGS_tables);
  return {.gateways = absl::StrSplit(cluster.Addresses("gateway"), ','),
          .tables = tables,
          .rules = absl::StrSplit(cluster.Addresses("rules"), ','),
          .internal_key_file = cluster.directory() + "/internal.keys",
          .bots = 1,
          .varied = true,
          .think = absl::Seconds(tables / absl::GetFlag(FLAGS_moves_per_s))};
}

int Main() {
  const double seconds = absl::GetFlag(FLAGS_minutes) * 60;
  e2e::Cluster cluster({.population = 8,
                        .gateway_flags = {"--sign_in_burst=1000000", "--sign_ins_per_second=1000",
                                          "--call_burst=100000", "--calls_per_second=100000",
                                          "--address_calls_per_second=100000",
                                          "--streams_per_address_max=1000000"}});
  const load::Options options = OptionsOfLoad(cluster);
  RealClock clock;
  RealScheduler scheduler;
  OsEntropy entropy;
  const auto history = load::HistoryWriter::Create("/dev/null").value();
  const auto load = load::Load::Create(options, clock, scheduler, entropy, *history).value();
  if (const absl::Status seated = load->Start(); !seated.ok()) {
    std::fprintf(stderr, "%s\n", std::string(seated.message()).c_str());
    return 2;
  }
  std::atomic<bool> stopping = false;
  std::atomic<int> visits = 0;
  std::thread visitors([&] { ComeAndGo(cluster, stopping, visits); });
  std::map<std::string, std::vector<double>> samples;
  for (int i = 0; i < kSamples; ++i) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds / kSamples));
    for (const auto& [name, pid] : cluster.pids()) samples[name].push_back(ResidentMiB(pid));
    if (i % 4 != 3) continue;
    for (const auto& [name, values] : samples) {
      std::fprintf(stderr, "%s %.1f MiB  ", name.c_str(), values.back());
    }
    std::fprintf(stderr, "\n");
  }
  const load::Counters& played = load->counters();
  std::printf("%.0f moves/s, %ld matches, %d visits\n", static_cast<double>(played.moves) / seconds,
              played.matches.load(), visits.load());
  const bool idle = visits == 0 || played.matches == 0;
  stopping = true;
  visitors.join();
  load->Stop();
  bool grew = false;
  for (const auto& [name, values] : samples) {
    const double before = MedianOf(values, 1), after = MedianOf(values, 3);
    const bool too_much = after > before * kGrowthShare + kGrowthMiB;
    std::printf("%-12s %7.1f MiB, then %7.1f MiB%s\n", name.c_str(), before, after,
                too_much ? ": GREW" : "");
    grew = grew || too_much;
  }
  return grew || idle ? 1 : 0;
}

}  // namespace
}  // namespace tarot::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return tarot::bench::Main();
}
