// tarot-soak: play through the gateway for a while, with clients that come and go; the memory of no
// process may grow. Prints the resident memory of each every few seconds, and fails when the last
// quarter of the time needed more than the second one.
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
#include "libs/base/stopwatch.h"
#include "tests/bench/figures.h"
#include "tests/bench/gateway_load.h"

ABSL_FLAG(double, minutes, 10, "how long");
ABSL_FLAG(int, tables, 32, "in play at once, four players each");
ABSL_FLAG(double, moves_per_s, 500, "at most, of all tables");

namespace tarot::bench {
namespace {

constexpr int kSamples = 40;
// Allocators keep what they once had; a leak of a byte a move is found by a longer run.
constexpr double kGrowthShare = 1.1;
constexpr double kGrowthMiB = 8;

double ResidentMiB(pid_t pid) {
  std::ifstream statm(absl::StrCat("/proc/", pid, "/statm"));
  double size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// Signs in, looks on at some tables for a moment, and is gone, again and again.
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

// Of the `quarter`th quarter of the samples, from 0.
double MedianOf(const std::vector<double>& samples, std::size_t quarter) {
  const auto size = static_cast<std::ptrdiff_t>(samples.size() / 4);
  const auto first = samples.begin() + static_cast<std::ptrdiff_t>(quarter) * size;
  return Quantile({first, first + size}, 0.5);
}

int Main() {
  const double seconds = absl::GetFlag(FLAGS_minutes) * 60;
  e2e::Cluster cluster({.population = 8,
                        .gateway_flags = {"--sign_in_burst=1000000", "--sign_ins_per_second=1000",
                                          "--call_burst=100000", "--calls_per_second=100000"}});
  GatewayLoad load(cluster, absl::GetFlag(FLAGS_tables));
  std::atomic<bool> stopping = false;
  std::atomic<int> visits = 0;
  std::thread visitors([&] { ComeAndGo(cluster, stopping, visits); });
  GatewayResult played;
  std::thread play([&] { played = load.Run(seconds, absl::GetFlag(FLAGS_moves_per_s)); });
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
  play.join();
  stopping = true;
  visitors.join();
  std::printf("%.0f moves/s, %d visits\n", played.moves_per_s, visits.load());
  bool grew = false;
  for (const auto& [name, values] : samples) {
    const double before = MedianOf(values, 1), after = MedianOf(values, 3);
    const bool too_much = after > before * kGrowthShare + kGrowthMiB;
    std::printf("%-12s %7.1f MiB, then %7.1f MiB%s\n", name.c_str(), before, after,
                too_much ? ": GREW" : "");
    grew = grew || too_much;
  }
  return grew || visits == 0 || played.moves_per_s <= 0 ? 1 : 0;
}

}  // namespace
}  // namespace tarot::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return tarot::bench::Main();
}
