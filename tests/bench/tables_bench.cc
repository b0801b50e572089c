// Measures durable moves per second at three levels: in the application layer alone, by calls to
// one rules replica, and by calls through the gateway while every player watches. Also measures the
// cost of hosted tables and of watch streams. Everything runs on this machine, and Postgres uses
// fsync. Prints figures as a JSON list. Figures of moves are medians of interleaved runs.
#include <cstdio>
#include <functional>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/match.h"
#include "absl/synchronization/mutex.h"
#include "tests/bench/app_load.h"
#include "tests/bench/figures.h"
#include "tests/bench/gateway_load.h"
#include "tests/bench/hosting_load.h"
#include "tests/bench/rules_load.h"
#include "tests/bench/streams_load.h"

ABSL_FLAG(std::string, only, "app,rules,gateway,hosting,streams", "names of the loads to run");
ABSL_FLAG(int, app_tables, 1024, "tables in play in the load app");
ABSL_FLAG(int, rules_tables, 256, "tables in play in the load rules");
ABSL_FLAG(int, gateway_tables, 64, "tables of four players in the load gateway");
ABSL_FLAG(int, hosted_tables, 40'000, "tables in play when one of two replicas dies");
ABSL_FLAG(int, streams, 10'000, "open watch streams, each on a connection of its own");
ABSL_FLAG(int, append_connections, 2, "connections of the appender in the load app");
ABSL_FLAG(int, append_threads, 4, "threads of the appender in the load app");
ABSL_FLAG(double, seconds, 4, "length of each run");
ABSL_FLAG(int, runs, 3, "number of runs; each figure is their median");

namespace tarot::bench {
namespace {

template <typename Result>
double Median(const std::vector<Result>& results, const std::function<double(const Result&)>& get) {
  std::vector<double> values;
  for (const Result& result : results) values.push_back(get(result));
  return Quantile(std::move(values), 0.5);
}

template <typename Result>
void AddCpu(const std::string& prefix, const std::vector<Result>& results, Figures& figures) {
  for (const auto& [name, unused] : results[0].cpu_us_per_move) {
    const std::function<double(const Result&)> get = [&, key = name](const Result& r) {
      return r.cpu_us_per_move.at(key);
    };
    figures.Add(absl::StrCat(prefix, "/cpu_per_move/", name), Median(results, get), "us");
  }
}

void App(Figures& figures) {
  const double seconds = absl::GetFlag(FLAGS_seconds);
  std::vector<AppLoadResult> grouped, alone;
  for (int run = 0; run < absl::GetFlag(FLAGS_runs); ++run) {
    grouped.push_back(RunAppLoad({.tables = absl::GetFlag(FLAGS_app_tables),
                                  .seconds = seconds,
                                  .connections = absl::GetFlag(FLAGS_append_connections),
                                  .threads = absl::GetFlag(FLAGS_append_threads)}));
    // For comparison, these settings have one connection per worker and one commit per move.
    alone.push_back(RunAppLoad({.tables = absl::GetFlag(FLAGS_app_tables),
                                .seconds = seconds,
                                .connections = 8,
                                .threads = 8,
                                .batch_rows_max = 1}));
    std::fprintf(stderr, "application: %.0f moves/s (%.0f rows a statement, %.1f us), alone %.0f\n",
                 grouped.back().moves_per_s, grouped.back().rows_per_batch,
                 grouped.back().cpu_us_per_move, alone.back().moves_per_s);
  }
  const std::function<double(const AppLoadResult&)> rate = [](const auto& r) {
    return r.moves_per_s;
  };
  const std::function<double(const AppLoadResult&)> rows = [](const auto& r) {
    return r.rows_per_batch;
  };
  const std::function<double(const AppLoadResult&)> cpu = [](const auto& r) {
    return r.cpu_us_per_move;
  };
  figures.Add("app_moves_per_s", Median(grouped, rate), "1/s");
  figures.Add("app_moves_per_s/rows_per_statement", Median(grouped, rows), "1");
  figures.Add("app_moves_per_s/cpu_per_move/service and load", Median(grouped, cpu), "us");
  figures.Add("app_moves_per_s_alone", Median(alone, rate), "1/s");
  figures.Add("group_commit_gain", Median(grouped, rate) / Median(alone, rate), "1");
}

void Rules(e2e::Cluster& cluster, Figures& figures) {
  std::vector<RulesResult> stream, unary;
  const auto run_load = [&](MovePath path) {
    return RunRulesLoad(cluster, absl::GetFlag(FLAGS_rules_tables), absl::GetFlag(FLAGS_seconds),
                        path);
  };
  for (int run = 0; run < absl::GetFlag(FLAGS_runs); ++run) {
    stream.push_back(run_load(MovePath::kStream));
    unary.push_back(run_load(MovePath::kUnary));
    std::fprintf(stderr, "rules: %.0f moves/s, unary %.0f\n", stream.back().moves_per_s,
                 unary.back().moves_per_s);
  }
  const std::function<double(const RulesResult&)> rate = [](const auto& r) {
    return r.moves_per_s;
  };
  figures.Add("rules_moves_per_s", Median(stream, rate), "1/s");
  AddCpu("rules_moves_per_s", stream, figures);
  figures.Add("rules_moves_per_s/unary", Median(unary, rate), "1/s");
  AddCpu("rules_moves_per_s/unary", unary, figures);
}

void Gateway(e2e::Cluster& cluster, Figures& figures) {
  GatewayLoad load(cluster, absl::GetFlag(FLAGS_gateway_tables));
  std::vector<GatewayResult> full, half;
  std::vector<BareResult> bare;
  for (int run = 0; run < absl::GetFlag(FLAGS_runs); ++run) {
    full.push_back(load.Run(absl::GetFlag(FLAGS_seconds)));
    // The platform and the bare relay get moves at the same rate. At a higher rate, more moves
    // share a message, and gRPC needs less CPU per move. With two different rates, the comparison
    // would not be fair.
    bare.push_back(RunBareLoad(cluster.dsn(), absl::GetFlag(FLAGS_gateway_tables),
                               absl::GetFlag(FLAGS_seconds), full.back().moves_per_s,
                               full.back().bytes));
    half.push_back(load.Run(absl::GetFlag(FLAGS_seconds), full.back().moves_per_s / 2));
    std::fprintf(stderr, "bare relay: %.0f moves/s, relay %.1f, backend %.1f us a move\n",
                 bare.back().moves_per_s, bare.back().relay_us_per_move,
                 bare.back().backend_us_per_move);
    std::fprintf(stderr,
                 "gateway: %.0f moves/s; at %.0f: answer p50 %.2f p99 %.2f, watch p99 %.2f ms\n",
                 full.back().moves_per_s, half.back().moves_per_s, half.back().answer_p50_ms,
                 half.back().answer_p99_ms, half.back().watch_p99_ms);
  }
  const auto median = [](const auto& results, auto get) {
    return Median<GatewayResult>(results, get);
  };
  figures.Add("gateway_moves_per_s", median(full, [](const auto& r) { return r.moves_per_s; }),
              "1/s");
  AddCpu("gateway_moves_per_s", full, figures);
  std::vector<double> gateway_ratios, rules_ratios;
  for (std::size_t run = 0; run < full.size(); ++run) {
    gateway_ratios.push_back(full[run].cpu_us_per_move.at("gateway") / bare[run].relay_us_per_move);
    rules_ratios.push_back(full[run].cpu_us_per_move.at("rules") / bare[run].backend_us_per_move);
  }
  figures.Add("gateway_cpu_ratio_to_bare", Quantile(gateway_ratios, 0.5), "1");
  figures.Add("rules_cpu_ratio_to_bare", Quantile(rules_ratios, 0.5), "1");
  figures.Add("answer_p50_ms", median(half, [](const auto& r) { return r.answer_p50_ms; }), "ms");
  figures.Add("answer_p99_ms", median(half, [](const auto& r) { return r.answer_p99_ms; }), "ms");
  figures.Add("watch_p99_ms", median(half, [](const auto& r) { return r.watch_p99_ms; }), "ms");
}

// Runs only once, because a run takes a minute and a half and each run gives about the same result.
void Hosting(Figures& figures) {
  const HostingResult result = RunHostingLoad({.tables = absl::GetFlag(FLAGS_hosted_tables)});
  figures.Add("recover_20k_tables_s", result.recover_s, "s");
  figures.Add("recover_20k_tables_s/tables_read_per_s", result.tables_read_per_s, "1/s");
  figures.Add("open_tables_per_gib", (1 << 30) / result.bytes_per_table, "1");
  figures.Add("open_tables_per_gib/bytes_per_table", result.bytes_per_table, "bytes");
}

void Streams(Figures& figures) {
  const StreamsResult result = RunStreamsLoad(absl::GetFlag(FLAGS_streams));
  figures.Add("watch_streams_per_gib", (1 << 30) / result.bytes_per_stream, "1");
  figures.Add("watch_streams_per_gib/bytes_per_stream", result.bytes_per_stream, "bytes");
  figures.Add("watch_streams_per_gib/bytes_after_they_left", result.bytes_after_leave, "bytes");
}

int Main() {
  const std::string only = absl::GetFlag(FLAGS_only);
  Figures figures;
  if (absl::StrContains(only, "app")) App(figures);
  if (absl::StrContains(only, "rules") || absl::StrContains(only, "gateway")) {
    e2e::Cluster cluster(
        {.population = 0,
         .rules_flags = {"--deal_pause=1ms"},
         .gateway_flags = {"--sign_in_burst=100000", "--call_burst=1000000",
                           "--calls_per_second=1000000", "--address_calls_per_second=1000000",
                           "--streams_per_address_max=1000000"}});
    if (absl::StrContains(only, "rules")) Rules(cluster, figures);
    if (absl::StrContains(only, "gateway")) Gateway(cluster, figures);
  }
  if (absl::StrContains(only, "hosting")) Hosting(figures);
  if (absl::StrContains(only, "streams")) Streams(figures);
  figures.Print();
  return 0;
}

}  // namespace
}  // namespace tarot::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  // Abseil's mutexes can detect deadlocks. This detection costs CPU time, and the result contains
  // the CPU time of this process. Every service switches the detection off too
  // (libs/rpc/process.cc).
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  return tarot::bench::Main();
}
