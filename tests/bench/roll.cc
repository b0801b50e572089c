// The program tarot-roll restarts every process of the platform, one after another, while people
// play, watch and call through HAProxy. The run fails in each of these cases: a call failed after
// the client's repeats; a stream ended although its match goes on; a process did not end with exit
// code 0 within 30 seconds of SIGTERM; too few streams were open; the players' history and the
// database differ. The program prints its progress to stderr, and its figures as JSON to stdout.
//
// With --old_programs the program tries an update and a rollback. The platform starts with the
// programs and schemas of an older version. Then the migrations of this build run, and the programs
// of this build replace the old programs. At last the old programs return and use the schemas of
// this build.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_split.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/base/real_clock.h"
#include "libs/client/client.h"
#include "libs/rpc/call.h"
#include "tests/bench/figures.h"
#include "tests/e2e/cluster.h"
#include "tools/load/check/checker.h"
#include "tools/load/load.h"

ABSL_FLAG(int, tables, 60, "tables in play");
ABSL_FLAG(int, streams, 500, "streams of watchers, besides those of the players");
ABSL_FLAG(int, replicas, 2, "replicas of each service");
ABSL_FLAG(absl::Duration, lame_duck, absl::Seconds(5), "--lame_duck of the gateways");
ABSL_FLAG(absl::Duration, think, absl::Seconds(1), "average time before each action");
ABSL_FLAG(std::string, old_programs, "", "folder of the programs of an older version");
ABSL_FLAG(bool, old_programs_own_schemas, false,
          "the old programs use the role that owns the schemas, because they migrate at start");

namespace tarot::bench {
namespace {

// Each client has a connection of its own, which carries at most 256 calls.
constexpr int kStreamsPerClient = 50;
constexpr absl::Duration kStopMax = absl::Seconds(30);

// Watches tables and lists them without a pause, until Stop. Counts the calls that failed in spite
// of the client's repeats, and the streams that ended too early.
class Audience {
 public:
  Audience(e2e::Cluster& cluster, int streams, Scheduler& scheduler, Entropy& entropy)
      : seats_(static_cast<std::size_t>(streams)) {
    for (int i = 0; i * kStreamsPerClient < streams || i == 0; ++i) {
      clients_.push_back(std::make_unique<client::Client>(
          rpc::MakeChannel(cluster.AddressOf("gateway"), /*own_connection=*/true),
          client::Options{}, scheduler, entropy));
      TAROT_CHECK(clients_.back()->SignInAsGuest("watcher").ok());
    }
    thread_ = std::thread([this] {
      while (!stopping_) Look();
    });
  }
  ~Audience() { Stop(); }

  void Stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
    seats_.clear();
  }

  std::atomic<int> calls = 0, failed_calls = 0, views = 0, failed_streams = 0;

  int open() const { return open_; }

 private:
  struct Seat {
    std::atomic<bool> over = true;
    std::atomic<bool> shown = false;  // True if a view has come.
    std::unique_ptr<client::Watch> watch;
  };

  // Lists the tables once, and opens a stream at each seat whose match is over. `open_` has the
  // streams that have shown a view.
  void Look() {
    const auto page = clients_[0]->Call(&client::Tables::ListTables, {});
    ++calls;
    if (!page.ok()) {
      ++failed_calls;
      std::fprintf(stderr, "a call failed: %s\n", page.status().ToString().c_str());
      return;
    }
    for (std::size_t i = 0; i < seats_.size() && page->tables_size() > 0; ++i) {
      Seat& seat = seats_[i];
      if (!seat.over.exchange(false)) continue;
      seat.watch.reset();
      seat.shown = false;
      seat.watch = clients_[i / kStreamsPerClient]->WatchTable(
          page->tables(static_cast<int>(i) % page->tables_size()).name(), std::nullopt,
          [this, &seat](const rules::v1::Table&) {
            ++views;
            if (!seat.shown.exchange(true)) ++open_;
          },
          [this, &seat](const absl::Status& status) {
            if (!status.ok()) {
              ++failed_streams;
              std::fprintf(stderr, "a stream failed: %s\n", status.ToString().c_str());
            }
            if (seat.shown) --open_;
            seat.over = true;
          });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }

  std::vector<std::unique_ptr<client::Client>> clients_;
  std::vector<Seat> seats_;
  std::atomic<int> open_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

e2e::ClusterOptions Wanted() {
  e2e::ClusterOptions wanted = {
      .population = 0,
      .gateway_flags = {"--sign_in_burst=1000000", "--sign_ins_per_second=1000",
                        "--call_burst=100000", "--calls_per_second=100000",
                        "--address_calls_per_second=100000", "--streams_per_address_max=1000000",
                        "--streams_per_player_max=1000"},
      .programs = absl::GetFlag(FLAGS_old_programs),
      .services_own_schemas = absl::GetFlag(FLAGS_old_programs_own_schemas),
      .door = true,
      .one_door = true};
  wanted.lame_duck = absl::GetFlag(FLAGS_lame_duck);
  wanted.replicas["admin"] = 1;
  for (const char* service : {"rules", "matchmaking", "bot", "ratings", "gateway"}) {
    wanted.replicas[service] = absl::GetFlag(FLAGS_replicas);
  }
  return wanted;
}

// Plays on a cluster, restarts its processes, and judges the result.
class Roll {
 public:
  Roll()
      : cluster_(Wanted()),
        streams_(absl::GetFlag(FLAGS_streams)),
        history_file_(cluster_.directory() + "/history.gz") {
    options_.gateways = {cluster_.AddressOf("gateway")};
    options_.tables = absl::GetFlag(FLAGS_tables);
    options_.rules = absl::StrSplit(cluster_.Addresses("rules"), ',');
    options_.internal_key_file = cluster_.directory() + "/internal.keys";
    options_.bots = 1;
    options_.deal_count = 4;
    options_.think = absl::GetFlag(FLAGS_think);
    options_.drop_rate = 0;
  }

  // Seats the players and the watchers.
  absl::Status Start() {
    TAROT_ASSIGN_OR_RETURN(history_, load::HistoryWriter::Create(history_file_));
    TAROT_ASSIGN_OR_RETURN(load_,
                           load::Load::Create(options_, clock_, scheduler_, entropy_, *history_));
    TAROT_RETURN_IF_ERROR(load_->Start());
    audience_.emplace(cluster_, streams_, scheduler_, entropy_);
    return absl::OkStatus();
  }

  // Restarts every process, with the programs that the cluster uses now.
  void RestartAll() {
    for (const char* service : {"rules", "matchmaking", "bot", "ratings", "gateway", "admin"}) {
      for (const std::string& process : cluster_.Replicas(service)) Restart(process);
    }
  }

  // Updates the platform to the programs and schemas of this build, and then brings the old
  // programs back.
  void UpdateAndReturn() {
    cluster_.UsePrograms(TAROT_BIN_DIR);
    std::fprintf(stderr, "-- migrates\n");
    std::atomic<bool> migrated = false;
    const Stopwatch watch;
    const std::jthread job([&] {
      cluster_.Migrate();
      migrated = true;
    });
    const absl::Duration stall = LongestStall(migrated);
    figures_.Add("upgrade_migrate", absl::ToDoubleSeconds(watch.Elapsed()), "s");
    figures_.Add("upgrade_migrate_stall", absl::ToDoubleSeconds(stall), "s");
    std::fprintf(stderr, "-- starts the new programs\n");
    const long before = load_->counters().moves;
    RestartAll();
    figures_.Add("upgrade_moves_up", static_cast<double>(load_->counters().moves - before),
                 "moves");
    std::fprintf(stderr, "-- returns to the old programs\n");
    cluster_.UsePrograms(absl::GetFlag(FLAGS_old_programs),
                         absl::GetFlag(FLAGS_old_programs_own_schemas));
    const long between = load_->counters().moves;
    RestartAll();
    figures_.Add("upgrade_moves_down", static_cast<double>(load_->counters().moves - between),
                 "moves");
  }

  // Ends all play and prints the figures. Returns whether the run has passed.
  bool Finish() {
    const int open = audience_->open();
    audience_->Stop();
    load_->Stop();
    history_.reset();
    const load::Counters& played = load_->counters();
    const absl::StatusOr<check::Report> report = Check();
    std::fprintf(stderr, "%s\n",
                 report.ok() ? check::Text(*report).c_str() : report.status().ToString().c_str());
    figures_.Add("roll_tables", options_.tables, "tables");
    figures_.Add("roll_streams_open", open, "streams");
    figures_.Add("roll_moves", static_cast<double>(played.moves), "moves");
    figures_.Add("roll_odd_answers", static_cast<double>(played.odd), "answers");
    figures_.Add("roll_calls", audience_->calls, "calls");
    figures_.Add("roll_failed_calls", audience_->failed_calls, "calls");
    figures_.Add("roll_views", audience_->views, "views");
    figures_.Add("roll_failed_streams", audience_->failed_streams, "streams");
    figures_.Add("roll_longest_stop", absl::ToDoubleSeconds(longest_stop_), "s");
    figures_.Add("roll_longest_start", absl::ToDoubleSeconds(longest_start_), "s");
    figures_.Print();
    return stopped_well_ && watched_ && played.moves > 0 && played.odd == 0 &&
           audience_->failed_calls == 0 && audience_->failed_streams == 0 && report.ok() &&
           report->ok();
  }

 private:
  void Restart(const std::string& process) {
    watched_ &= e2e::Eventually(absl::Seconds(60), [&] { return audience_->open() == streams_; });
    const long moves = load_->counters().moves;
    const Stopwatch watch;
    const std::optional<int> status = cluster_.Stop(process, kStopMax);
    const absl::Duration stop = watch.Elapsed();
    cluster_.Start(process);
    const absl::Duration start = watch.Elapsed() - stop;
    longest_stop_ = std::max(longest_stop_, stop);
    longest_start_ = std::max(longest_start_, start);
    stopped_well_ &= status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
    std::fprintf(stderr, "%-14s stopped in %5.1f s, ready after %4.1f s, %ld moves meanwhile%s\n",
                 process.c_str(), absl::ToDoubleSeconds(stop), absl::ToDoubleSeconds(start),
                 load_->counters().moves - moves, status == 0 ? "" : ": DID NOT END WELL");
  }

  // Returns the longest time without a move at any table, until `done`.
  absl::Duration LongestStall(const std::atomic<bool>& done) const {
    absl::Duration longest;
    Stopwatch since_move;
    long seen = load_->counters().moves;
    while (!done) {
      const long now = load_->counters().moves;
      if (now != std::exchange(seen, now)) since_move = Stopwatch();
      longest = std::max(longest, since_move.Elapsed());
      absl::SleepFor(absl::Milliseconds(5));
    }
    return longest;
  }

  // Compares the players' history with the database.
  absl::StatusOr<check::Report> Check() const {
    const bool sent = e2e::Eventually(absl::Seconds(30), [&] {
      pqxx::connection connection(cluster_.dsn());
      return pqxx::nontransaction(connection)
          .exec1("SELECT NOT EXISTS (SELECT FROM rules.outbox)")[0]
          .as<bool>();
    });
    if (!sent) return absl::DeadlineExceededError("ends of matches are still in the outbox");
    TAROT_ASSIGN_OR_RETURN(
        const check::Database database,
        check::ReadDatabase(cluster_.dsn(), cluster_.directory() + "/seed.keys"));
    check::Checker checker(database, {});
    TAROT_RETURN_IF_ERROR(
        load::ReadHistory(history_file_, [&](const load::Event& event) { checker.See(event); }));
    return checker.Finish();
  }

  RealClock clock_;
  RealScheduler scheduler_;
  OsEntropy entropy_;
  e2e::Cluster cluster_;
  const int streams_;
  const std::string history_file_;
  load::Options options_;
  std::unique_ptr<load::HistoryWriter> history_;
  std::unique_ptr<load::Load> load_;
  std::optional<Audience> audience_;
  Figures figures_;
  bool stopped_well_ = true, watched_ = true;
  absl::Duration longest_stop_, longest_start_;
};

int Main() {
  Roll roll;
  if (const absl::Status started = roll.Start(); !started.ok()) {
    std::fprintf(stderr, "%s\n", std::string(started.message()).c_str());
    return 2;
  }
  if (absl::GetFlag(FLAGS_old_programs).empty()) {
    roll.RestartAll();
  } else {
    roll.UpdateAndReturn();
  }
  return roll.Finish() ? 0 : 1;
}

}  // namespace
}  // namespace tarot::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return tarot::bench::Main();
}
