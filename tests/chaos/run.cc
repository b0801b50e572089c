#include "tests/chaos/run.h"

#include <filesystem>
#include <pqxx/pqxx>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "libs/base/error.h"
#include "libs/base/real_clock.h"
#include "tests/chaos/faults.h"
#include "tests/chaos/interrupt.h"
#include "tests/chaos/takeovers.h"
#include "tools/load/load.h"

namespace tarot::chaos {
namespace {

// The last watcher must see a move within this time after the move's answer. No fault is longer
// than ten seconds, but faults can follow one another.
constexpr double kShownMaxS = 25;

std::vector<std::string> Processes(const std::map<std::string, int>& replicas) {
  std::vector<std::string> processes;
  for (const char* service : {"bot", "ratings", "rules", "matchmaking", "gateway"}) {
    const auto wanted = replicas.find(service);
    const int count = wanted == replicas.end() ? 1 : wanted->second;
    processes.push_back(service);
    for (int i = 2; i <= count; ++i) processes.push_back(absl::StrCat(service, ".", i));
  }
  return processes;
}

bool OutboxIsEmpty(const std::string& dsn) {
  pqxx::connection connection(dsn);
  return pqxx::nontransaction(connection)
      .exec1("SELECT NOT EXISTS (SELECT FROM rules.outbox)")[0]
      .as<bool>();
}

// While this object exists, it prints the progress of play and counts takeovers.
class Progress {
 public:
  Progress(const load::Counters& counters, Takeovers& takeovers)
      : thread_([this, &counters, &takeovers] {
          for (int tick = 1; !over_; ++tick) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            if (tick % 50 == 0) Print(counters, tick / 10);
            if (tick % 10 == 0) takeovers.Look();
          }
          takeovers.Look();
        }) {}
  ~Progress() {
    over_ = true;
    thread_.join();
  }

 private:
  void Print(const load::Counters& counters, int seconds) {
    const long moves = counters.moves;
    std::fprintf(stderr, "%5d s  %5ld moves/s  %7ld moves, %ld refused, %ld unknown, %ld matches\n",
                 seconds, (moves - moves_) / 5, moves, counters.refused.load(),
                 counters.unknown.load(), counters.matches.load());
    moves_ = moves;
  }

  long moves_ = 0;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

absl::Status Stopped() { return absl::CancelledError("stopped from outside"); }

// Copies the logs of all processes and of Postgres.
void KeepLogs(e2e::Cluster& cluster, const std::string& folder) {
  std::error_code error;  // An error is ignored, so that as many files as possible are copied.
  std::filesystem::create_directories(folder, error);
  for (const std::string& from : {cluster.directory(), cluster.postgres().directory()}) {
    for (const auto& file : std::filesystem::directory_iterator(from, error)) {
      if (file.path().extension() != ".log") continue;
      std::filesystem::copy_file(file.path(), folder / file.path().filename(),
                                 std::filesystem::copy_options::overwrite_existing, error);
    }
  }
  std::fprintf(stderr, "the logs of all processes: %s\n", folder.c_str());
}

// Every second player connects to the second addresses of the gateways. Faults may cut the paths to
// these addresses.
void AddSecondAddresses(const e2e::Cluster& cluster, const Network& network, load::Options& play) {
  play.roads = 2;
  for (const std::string& gateway : cluster.Replicas("gateway")) {
    play.gateways.push_back(
        absl::StrCat(network.SecondHostOf(gateway), ":", cluster.port(gateway)));
  }
}

// Plays on the cluster, applies the schedule, and compares the history with the database.
absl::StatusOr<RunResult> RunOn(e2e::Cluster& cluster, const RunOptions& options,
                                FaultySurroundings& surroundings, Network* network,
                                const std::vector<Fault>& schedule) {
  load::Options play = options.load;
  play.seed = options.seed;
  play.gateways = absl::StrSplit(cluster.Addresses("gateway"), ',');
  if (network != nullptr) AddSecondAddresses(cluster, *network, play);
  play.rules = absl::StrSplit(cluster.Addresses("rules"), ',');
  play.internal_key_file = cluster.directory() + "/internal.keys";
  RealClock clock;
  RealScheduler scheduler;
  OsEntropy entropy;
  RunResult result;
  Takeovers takeovers(cluster);
  {
    TAROT_ASSIGN_OR_RETURN(const auto history, load::HistoryWriter::Create(options.history));
    TAROT_ASSIGN_OR_RETURN(const auto load,
                           load::Load::Create(play, clock, scheduler, entropy, *history));
    TAROT_RETURN_IF_ERROR(load->Start());
    const auto start = load::NowMicros();
    const Progress progress(load->counters(), takeovers);
    Faults faults(cluster, surroundings, network, *history);
    faults.Run(schedule, options.stop);
    result.complaints = faults.complaints();
    SleepUnless(options.heal, options.stop);
    if (options.stop()) return Stopped();
    const double seconds = static_cast<double>(load::NowMicros() - start) * 1e-6;
    load->Stop();
    result.moves_per_s = static_cast<double>(load->counters().moves) / seconds;
  }
  result.takeovers = takeovers.sum();
  if (!e2e::Eventually(options.outbox_max, [&] { return OutboxIsEmpty(cluster.dsn()); })) {
    result.complaints.push_back("finished matches are still in the outbox");
  }

  TAROT_ASSIGN_OR_RETURN(const check::Database database,
                         check::ReadDatabase(cluster.dsn(), cluster.directory() + "/seed.keys"));
  // A table is stuck if it had no move for ten seconds plus the longest time that a player thinks.
  const absl::Duration stuck = absl::Seconds(10) + 5 * options.load.think;
  check::Checker checker(database, {.stuck_us = absl::ToInt64Microseconds(stuck)});
  Resume resume;
  TAROT_RETURN_IF_ERROR(load::ReadHistory(options.history, [&](const load::Event& event) {
    checker.See(event);
    resume.See(event);
  }));
  result.report = checker.Finish();
  result.resume = resume.Finish();
  result.watch_lag_s = resume.WatchLag();
  if (const double worst = Percentile(result.watch_lag_s, 1); worst > kShownMaxS) {
    result.complaints.push_back(
        absl::StrFormat("the last watcher saw a move %.1f s after its answer", worst));
  }
  return result;
}

}  // namespace

absl::StatusOr<RunResult> Run(const RunOptions& options) {
  const std::vector<std::string> processes = Processes(options.replicas);
  const std::vector<Fault> schedule = MakeSchedule({.seed = options.seed,
                                                    .duration = options.duration,
                                                    .processes = processes,
                                                    .kinds = options.kinds});
  std::fprintf(stderr, "seed %lu:\n", options.seed);
  for (const Fault& fault : schedule) std::fprintf(stderr, "  %s\n", Text(fault).c_str());
  // Removes the logs of an earlier run.
  if (!options.logs.empty()) std::filesystem::remove_all(options.logs);
  std::unique_ptr<Network> network;
  if (options.network) network = std::make_unique<Network>(processes);
  FaultySurroundings surroundings(network.get());
  e2e::Cluster cluster({.population = 0,
                        .gateway_flags = {"--sign_in_burst=100000"},
                        .replicas = options.replicas,
                        .binaries = options.binaries,
                        // A gateway without a door (HAProxy) listens on loopback only.
                        .door = network != nullptr,
                        .surroundings = &surroundings});
  if (options.stop()) return Stopped();
  absl::StatusOr<RunResult> result = absl::InternalError("not run");
  try {
    result = RunOn(cluster, options, surroundings, network.get(), schedule);
  } catch (const std::exception& e) {  // libpqxx throws if Postgres is away at the end.
    result = absl::InternalError(e.what());
  }
  const bool fine = result.ok() ? result->ok() : absl::IsCancelled(result.status());
  if (!fine && !options.logs.empty()) KeepLogs(cluster, options.logs);
  return result;
}

std::string Text(const RunResult& result) {
  std::string text = check::Text(result.report);
  for (const std::string& complaint : result.complaints) {
    absl::StrAppend(&text, "WRONG ", complaint, "\n");
  }
  absl::StrAppendFormat(&text, "%.0f moves/s, %d takeovers of tables at least\n",
                        result.moves_per_s, result.takeovers);
  const std::vector<double>& lag = result.watch_lag_s;
  absl::StrAppendFormat(&text, "from a move's answer to its last watcher, s: %.3f %.3f %.2f\n",
                        Percentile(lag, 0.5), Percentile(lag, 0.99), Percentile(lag, 1));
  absl::StrAppendFormat(&text, "%-14s %6s %8s %21s %21s %21s\n", "s: p50/p99/max", "times",
                        "tables", "moves resumed", "all watchers", "after healing");
  const auto columns = [](const std::vector<double>& seconds) {
    return absl::StrFormat(" %7.2f %6.2f %6.2f", Percentile(seconds, 0.5),
                           Percentile(seconds, 0.99), Percentile(seconds, 1));
  };
  for (const auto& [kind, times] : result.resume) {
    absl::StrAppendFormat(&text, "%-14s %6d %8d%s%s%s\n", kind, times.faults,
                          static_cast<int>(times.after_begin_s.size()),
                          columns(times.after_begin_s), columns(times.watchers_s),
                          columns(times.after_end_s));
  }
  return text;
}

std::string Json(const RunOptions& options, const RunResult& result) {
  std::string findings, resume;
  for (const auto& [kind, found] : result.report.findings) {
    absl::StrAppendFormat(&findings, "%s\n    \"%s\": %d", findings.empty() ? "" : ",", kind,
                          found.count);
  }
  for (const auto& [kind, times] : result.resume) {
    absl::StrAppendFormat(
        &resume,
        "%s\n    \"%s\": {\"faults\": %d, \"tables\": %d, \"begin_p50_s\": %.3f, "
        "\"begin_p99_s\": %.3f, \"watchers_p50_s\": %.3f, \"watchers_p99_s\": %.3f, "
        "\"end_p50_s\": %.3f, \"end_p99_s\": %.3f}",
        resume.empty() ? "" : ",", kind, times.faults, static_cast<int>(times.after_begin_s.size()),
        Percentile(times.after_begin_s, 0.5), Percentile(times.after_begin_s, 0.99),
        Percentile(times.watchers_s, 0.5), Percentile(times.watchers_s, 0.99),
        Percentile(times.after_end_s, 0.5), Percentile(times.after_end_s, 0.99));
  }
  return absl::StrFormat(
      "{\n  \"seed\": %d,\n  \"seconds\": %.0f,\n  \"ok\": %s,\n  \"moves_per_s\": %.1f,\n"
      "  \"takeovers\": %d,\n  \"watch_lag_p50_s\": %.4f,\n  \"watch_lag_p99_s\": %.4f,\n"
      "  \"tables\": %d,\n  \"acknowledged\": %d,\n  \"unknown\": %d,\n  \"views\": %d,\n"
      "  \"matches_rated\": %d,\n  \"complaints\": %d,\n  \"findings\": {%s},\n"
      "  \"resume\": {%s}\n}\n",
      options.seed, absl::ToDoubleSeconds(options.duration), result.ok() ? "true" : "false",
      result.moves_per_s, result.takeovers, Percentile(result.watch_lag_s, 0.5),
      Percentile(result.watch_lag_s, 0.99), result.report.tables, result.report.acknowledged,
      result.report.unknown, result.report.views, result.report.matches_rated,
      static_cast<int>(result.complaints.size()), findings, resume);
}

}  // namespace tarot::chaos
