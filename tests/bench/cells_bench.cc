// Measures whether the moves of one cell stay fast while another cell fails. Two cells play. First
// the Postgres of cell 1 is frozen, then its replica of rules is stopped. The run fails if the
// moves of cell 0 become too slow, or if an acknowledged move of any cell is lost. Prints figures
// as a JSON list.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <pqxx/pqxx>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "libs/base/check.h"
#include "libs/base/clock.h"
#include "libs/base/real_clock.h"
#include "tests/bench/figures.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/eventually.h"
#include "tools/load/check/checker.h"
#include "tools/load/load.h"

ABSL_FLAG(int, tables, 32, "tables of four players in each cell");
ABSL_FLAG(absl::Duration, calm, absl::Seconds(30), "time of play without a fault");
ABSL_FLAG(absl::Duration, frozen, absl::Seconds(60), "time for which each fault lasts");
ABSL_FLAG(absl::Duration, think, absl::Milliseconds(200), "average time before each action");
ABSL_FLAG(double, quantile, 0.99, "share of the moves that must be fast");
ABSL_FLAG(double, ratio_max, 1.5, "largest allowed ratio of the times with and without a fault");

namespace tarot::bench {
namespace {

constexpr absl::Duration kGoOnMax = absl::Minutes(2);
// Time of play after the last fault. The checker reports a table of the failed cell that does not
// move in the last ten seconds of this time.
constexpr absl::Duration kAgain = absl::Seconds(25);

// A time of the run, in microseconds of the clock of the history.
struct Phase {
  std::string name;
  std::int64_t begin_us = 0, end_us = 0;
};

// The players of one cell.
class CellLoad {
 public:
  CellLoad(const e2e::Cluster& cluster, int cell, Scheduler& scheduler, Entropy& entropy)
      : path_(absl::StrCat(cluster.directory(), "/cell", cell, ".gz")),
        options_({.gateways = {cluster.AddressOf("gateway")},
                  .tables = absl::GetFlag(FLAGS_tables),
                  .rules = {cluster.AddressOf(cell == 0 ? "rules" : "rules.2")},
                  .internal_key_file = cluster.directory() + "/internal.keys",
                  .cell = cell,
                  .deal_count = 3,
                  .think = absl::GetFlag(FLAGS_think),
                  .drop_rate = 0}),
        history_(load::HistoryWriter::Create(path_).value()),
        load_(load::Load::Create(options_, clock_, scheduler, entropy, *history_).value()) {
    const absl::Status seated = load_->Start();
    if (!seated.ok()) std::fprintf(stderr, "%s\n", seated.ToString().c_str());
    TAROT_CHECK(seated.ok());
    TAROT_CHECK(GoesOn());
  }

  // Waits until the players have made a move at most tables, or until kGoOnMax has passed.
  bool GoesOn() const {
    const long before = load_->counters().moves;
    return e2e::Eventually(
        kGoOnMax, [&] { return load_->counters().moves >= before + absl::GetFlag(FLAGS_tables); });
  }
  void Stop() {
    load_->Stop();
    history_.reset();  // Completes the file.
  }

  // Returns the times of the moves that were sent in `phase`, in milliseconds. A move without an
  // answer counts with the time until the client stopped waiting.
  std::vector<double> Times(const Phase& phase) const {
    std::map<std::pair<RequestId, int>, std::int64_t> sent;
    std::vector<double> times;
    const auto see = [&](const load::Event& event) {
      using Kind = load::Event::Kind;
      const std::pair attempt(event.request, event.attempt);
      if (event.kind == Kind::kCall) sent[attempt] = event.time_us;
      if (event.kind != Kind::kOk && event.kind != Kind::kUnknown && event.kind != Kind::kRefused) {
        return;
      }
      const std::int64_t begin = sent.at(attempt);
      sent.erase(attempt);
      if (begin < phase.begin_us || begin >= phase.end_us) return;
      times.push_back(static_cast<double>(event.time_us - begin) / 1e3);
    };
    TAROT_CHECK(load::ReadHistory(path_, see).ok());
    return times;
  }

  // Returns the number of acknowledged moves that are not in the database, and prints all findings.
  // Returns nullopt if there is another finding.
  std::optional<long> LostMoves(const check::Database& database) const {
    check::Checker checker(database, {});
    TAROT_CHECK(
        load::ReadHistory(path_, [&](const load::Event& event) { checker.See(event); }).ok());
    const check::Report report = checker.Finish();
    std::fprintf(stderr, "%s\n", Text(report).c_str());
    const auto lost = report.findings.find("lost");
    if (lost != report.findings.end()) return lost->second.count;
    return report.ok() ? std::optional<long>(0) : std::nullopt;
  }

 private:
  RealClock clock_;
  const std::string path_;
  const load::Options options_;
  std::unique_ptr<load::HistoryWriter> history_;
  std::unique_ptr<load::Load> load_;
};

Phase Play(const std::string& name, absl::Duration time) {
  Phase phase{.name = name, .begin_us = load::NowMicros()};
  std::this_thread::sleep_for(absl::ToChronoMilliseconds(time));
  phase.end_us = load::NowMicros();
  return phase;
}

bool OutboxIsEmpty(const std::string& dsn) {
  return e2e::Eventually(kGoOnMax, [&] {
    pqxx::connection connection(dsn);
    return pqxx::nontransaction(connection)
        .exec1("SELECT NOT EXISTS (SELECT FROM rules.outbox)")[0]
        .as<bool>();
  });
}

int Main() {
  e2e::Cluster cluster(
      {.population = 0,
       .gateway_flags = {"--sign_in_burst=1000000", "--sign_ins_per_second=1000",
                         "--call_burst=100000", "--calls_per_second=100000",
                         "--address_calls_per_second=100000", "--streams_per_address_max=1000000"},
       .cells = 2});
  RealScheduler scheduler;
  OsEntropy entropy;
  CellLoad healthy(cluster, 0, scheduler, entropy);
  CellLoad failing(cluster, 1, scheduler, entropy);
  const absl::Duration calm = absl::GetFlag(FLAGS_calm), frozen = absl::GetFlag(FLAGS_frozen);
  Figures figures;
  bool failed = false;

  std::vector<Phase> phases = {Play("calm", calm)};
  cluster.postgres(1).Freeze();
  phases.push_back(Play("frozen", frozen));
  cluster.postgres(1).Thaw();
  const Stopwatch thaw;
  TAROT_CHECK(failing.GoesOn());
  figures.Add("cells_thaw_s", absl::ToDoubleSeconds(thaw.Elapsed()), "s");
  cluster.Signal("rules.2", SIGSTOP);
  phases.push_back(Play("stopped", frozen));
  cluster.Signal("rules.2", SIGCONT);
  TAROT_CHECK(failing.GoesOn());
  (void)Play("again", kAgain);
  failing.Stop();
  // The control: without the load of cell 1, but also without a fault.
  phases.push_back(Play("alone", calm));
  healthy.Stop();

  std::map<std::string, double> time_ms;
  for (const Phase& phase : phases) {
    const std::vector<double> times = healthy.Times(phase);
    time_ms[phase.name] = Quantile(times, absl::GetFlag(FLAGS_quantile));
    std::fprintf(stderr, "%s: %zu moves of cell 0, p50 %.1f ms, p90 %.1f ms, p99 %.1f ms\n",
                 phase.name.c_str(), times.size(), Quantile(times, 0.5), Quantile(times, 0.9),
                 Quantile(times, 0.99));
    figures.Add(absl::StrCat("cells_p99_", phase.name, "_ms"), time_ms[phase.name], "ms");
  }
  for (const auto& [figure, phase] :
       {std::pair{"cells_p99_ratio", "frozen"}, std::pair{"cells_p99_stopped_ratio", "stopped"}}) {
    const double ratio = time_ms[phase] / time_ms["calm"];
    figures.Add(figure, ratio, "times");
    failed = failed || ratio > absl::GetFlag(FLAGS_ratio_max);
  }

  TAROT_CHECK(OutboxIsEmpty(cluster.dsn(0)) && OutboxIsEmpty(cluster.dsn(1)));
  const std::string keys = cluster.directory() + "/seed.keys";
  absl::StatusOr<check::Database> database = check::ReadDatabase(cluster.dsn(0), keys);
  TAROT_CHECK(database.ok() && check::AddCell(cluster.dsn(1), keys, *database).ok());
  long lost = 0;
  for (const CellLoad* load : {&healthy, &failing}) {
    const std::optional<long> found = load->LostMoves(*database);
    failed = failed || found != 0;
    lost += found.value_or(0);
  }
  figures.Add("cells_moves_lost", static_cast<double>(lost), "moves");
  figures.Print();
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace tarot::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return tarot::bench::Main();
}
