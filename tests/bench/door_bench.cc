// Measures how much time and CPU time the door (HAProxy) adds to a move. Each round runs the same
// load twice: on the gateway's socket, and through the door. Prints figures as a JSON list. Each
// figure is the median of all rounds.
#include <cstdio>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/synchronization/mutex.h"
#include "tests/bench/figures.h"
#include "tests/bench/gateway_load.h"

ABSL_FLAG(int, tables, 16, "tables of four players in each measurement");
ABSL_FLAG(double, moves_per_s, 400, "moves per second");
ABSL_FLAG(double, seconds, 5, "length of each measurement");
ABSL_FLAG(int, rounds, 5, "measurements with the door, and as many without it");

namespace tarot::bench {
namespace {

int Main() {
  e2e::Cluster cluster({.population = 0,
                        .rules_flags = {"--deal_pause=1ms"},
                        .gateway_flags = {"--sign_in_burst=100000"},
                        .door = true});
  GatewayLoad through(cluster, absl::GetFlag(FLAGS_tables));
  through.Pause();
  GatewayLoad direct(cluster, absl::GetFlag(FLAGS_tables), cluster.SocketOf("gateway"));
  direct.Pause();
  std::vector<double> p50, p99, door_cpu, gateway_cpu;
  for (int round = 0; round < absl::GetFlag(FLAGS_rounds); ++round) {
    const auto run = [](GatewayLoad& load) {
      GatewayResult result =
          load.Run(absl::GetFlag(FLAGS_seconds), absl::GetFlag(FLAGS_moves_per_s));
      load.Pause();
      return result;
    };
    const GatewayResult without = run(direct);
    const GatewayResult with = run(through);
    p50.push_back(with.answer_p50_ms - without.answer_p50_ms);
    p99.push_back(with.answer_p99_ms - without.answer_p99_ms);
    door_cpu.push_back(with.cpu_us_per_move.at("door"));
    gateway_cpu.push_back(with.cpu_us_per_move.at("gateway") -
                          without.cpu_us_per_move.at("gateway"));
    std::fprintf(stderr,
                 "direct %.0f moves/s, p50 %.2f p99 %.2f ms; door %.0f moves/s, p50 %.2f p99 %.2f "
                 "ms, %.0f us of its CPU a move\n",
                 without.moves_per_s, without.answer_p50_ms, without.answer_p99_ms,
                 with.moves_per_s, with.answer_p50_ms, with.answer_p99_ms, door_cpu.back());
  }
  Figures figures;
  figures.Add("door_added_p50_ms", Quantile(p50, 0.5), "ms");
  figures.Add("door_added_p99_ms", Quantile(p99, 0.5), "ms");
  figures.Add("door_cpu_us_a_move", Quantile(door_cpu, 0.5), "us");
  figures.Add("door_added_gateway_cpu_us_a_move", Quantile(gateway_cpu, 0.5), "us");
  figures.Print();
  return 0;
}

}  // namespace
}  // namespace tarot::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  return tarot::bench::Main();
}
