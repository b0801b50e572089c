// Measures the longest time without a move at 40 tables, for each fault of the Patroni cluster of
// deploy/ha. The checker then compares the history with the database. `tools/dev bench ha` runs it.
#include <cstdio>
#include <functional>
#include <string>

#include "tests/bench/figures.h"
#include "tests/chaos/database_play.h"
#include "tests/chaos/ha_cluster.h"

namespace {

using namespace tarot::chaos;

constexpr int kTables = 40;
constexpr absl::Duration kLimit = absl::Minutes(3);

}  // namespace

int main() {
  HaCluster nodes;
  DatabasePlay play(nodes.dsn(), kTables);
  tarot::bench::Figures figures;
  const auto measure = [&](const std::string& name, const std::function<void()>& fail) {
    const absl::Duration stall = play.StallAfter(kLimit, fail);
    std::fprintf(stderr, "%s: %.1f s\n", name.c_str(), absl::ToDoubleSeconds(stall));
    figures.Add(name, absl::ToDoubleSeconds(stall), "s");
  };
  // Every fault hits a cluster in which all three nodes run.
  const auto repair = [&](int node) {
    nodes.Thaw(node);
    nodes.StartNode(node);
    TAROT_CHECK(nodes.WaitUntilSafe());
    TAROT_CHECK(nodes.WaitForStandbys(2));
  };
  TAROT_CHECK(nodes.WaitForStandbys(2));

  int node = nodes.Primary();
  measure("ha_kill_server_s", [&] { nodes.KillServer(node); });
  repair(node);
  node = nodes.Primary();
  measure("ha_kill_node_s", [&] { nodes.KillNode(node); });
  repair(node);
  node = nodes.Primary();
  measure("ha_freeze_s", [&] { nodes.FreezeNode(node); });
  repair(node);
  node = nodes.Primary();
  measure("ha_freeze_server_s", [&] { nodes.FreezeServer(node); });
  repair(node);
  node = nodes.SyncStandby();
  measure("ha_standby_s", [&] { nodes.KillNode(node); });
  repair(node);
  measure("ha_switchover_s", [&] { nodes.Switchover(); });
  TAROT_CHECK(nodes.WaitUntilSafe());

  const absl::StatusOr<tarot::check::Report> report = play.Finish(nodes.dsn());
  if (!report.ok()) {
    std::fprintf(stderr, "%s\n", report.status().ToString().c_str());
    return 1;
  }
  // The checker reports every acknowledged move that the database lacks.
  std::fprintf(stderr, "%s\n", Text(*report).c_str());
  const auto lost = report->findings.find("lost");
  const long count = lost == report->findings.end() ? 0 : lost->second.count;
  figures.Add("ha_moves_lost", static_cast<double>(count), "moves");
  figures.Print();
  return report->ok() ? 0 : 1;
}
