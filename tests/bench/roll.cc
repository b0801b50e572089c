// The program tarot-roll restarts every process of the platform, one after another, while people
// play, watch and call through HAProxy. It fails if a call failed after the client's repeats, if a
// stream ended although its match goes on, if a process did not end with exit code 0 within 30
// seconds of SIGTERM, or if too few streams were open. Prints what it does to stderr, and its
// figures as JSON to stdout.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_split.h"
#include "libs/base/check.h"
#include "libs/base/real_clock.h"
#include "libs/client/client.h"
#include "libs/rpc/call.h"
#include "tests/bench/figures.h"
#include "tests/e2e/cluster.h"
#include "tools/load/load.h"

ABSL_FLAG(int, tables, 60, "tables in play");
ABSL_FLAG(int, streams, 500, "streams of watchers, besides those of the players");
ABSL_FLAG(int, replicas, 2, "replicas of each service");
ABSL_FLAG(absl::Duration, lame_duck, absl::Seconds(5), "--lame_duck of the gateways");
ABSL_FLAG(absl::Duration, think, absl::Seconds(1), "average time before each action");

namespace tarot::bench {
namespace {

// Each client has a connection of its own, which carries at most 256 calls.
constexpr int kStreamsPerClient = 50;
constexpr absl::Duration kStopMax = absl::Seconds(30);

// Watches tables and lists them without a pause, until Stop. Counts what failed for good.
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

int Main() {
  const int tables = absl::GetFlag(FLAGS_tables), streams = absl::GetFlag(FLAGS_streams);
  const int replicas = absl::GetFlag(FLAGS_replicas);
  e2e::ClusterOptions wanted = {
      .population = 0,
      .gateway_flags = {"--sign_in_burst=1000000", "--sign_ins_per_second=1000",
                        "--call_burst=100000", "--calls_per_second=100000",
                        "--address_calls_per_second=100000", "--streams_per_address_max=1000000",
                        "--streams_per_player_max=1000"},
      .door = true,
      .one_door = true};
  wanted.lame_duck = absl::GetFlag(FLAGS_lame_duck);
  wanted.replicas["admin"] = 1;
  for (const char* service : {"rules", "matchmaking", "bot", "ratings", "gateway"}) {
    wanted.replicas[service] = replicas;
  }
  e2e::Cluster cluster(wanted);
  const load::Options options = {.gateways = {cluster.AddressOf("gateway")},
                                 .tables = tables,
                                 .rules = absl::StrSplit(cluster.Addresses("rules"), ','),
                                 .internal_key_file = cluster.directory() + "/internal.keys",
                                 .bots = 1,
                                 .deal_count = 4,
                                 .think = absl::GetFlag(FLAGS_think),
                                 .drop_rate = 0};
  RealClock clock;
  RealScheduler scheduler;
  OsEntropy entropy;
  const auto history = load::HistoryWriter::Create("/dev/null").value();
  const auto load = load::Load::Create(options, clock, scheduler, entropy, *history).value();
  if (const absl::Status seated = load->Start(); !seated.ok()) {
    std::fprintf(stderr, "%s\n", std::string(seated.message()).c_str());
    return 2;
  }
  Audience audience(cluster, streams, scheduler, entropy);
  bool stopped_well = true, watched = true;
  absl::Duration longest_stop, longest_start;
  for (const char* service : {"rules", "matchmaking", "bot", "ratings", "gateway", "admin"}) {
    for (const std::string& process : cluster.Replicas(service)) {
      watched &= e2e::Eventually(absl::Seconds(60), [&] { return audience.open() == streams; });
      const long moves = load->counters().moves;
      const Stopwatch watch;
      const std::optional<int> status = cluster.Stop(process, kStopMax);
      const absl::Duration stop = watch.Elapsed();
      cluster.Start(process);
      const absl::Duration start = watch.Elapsed() - stop;
      longest_stop = std::max(longest_stop, stop);
      longest_start = std::max(longest_start, start);
      stopped_well &= status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
      std::fprintf(stderr, "%-14s stopped in %5.1f s, ready after %4.1f s, %ld moves meanwhile%s\n",
                   process.c_str(), absl::ToDoubleSeconds(stop), absl::ToDoubleSeconds(start),
                   load->counters().moves - moves, status == 0 ? "" : ": DID NOT END WELL");
    }
  }
  const int open = audience.open();
  audience.Stop();
  load->Stop();
  const load::Counters& played = load->counters();
  Figures figures;
  figures.Add("roll_tables", tables, "tables");
  figures.Add("roll_streams_open", open, "streams");
  figures.Add("roll_moves", static_cast<double>(played.moves), "moves");
  figures.Add("roll_odd_answers", static_cast<double>(played.odd), "answers");
  figures.Add("roll_calls", audience.calls, "calls");
  figures.Add("roll_failed_calls", audience.failed_calls, "calls");
  figures.Add("roll_views", audience.views, "views");
  figures.Add("roll_failed_streams", audience.failed_streams, "streams");
  figures.Add("roll_longest_stop", absl::ToDoubleSeconds(longest_stop), "s");
  figures.Add("roll_longest_start", absl::ToDoubleSeconds(longest_start), "s");
  figures.Print();
  const bool well = stopped_well && watched && played.moves > 0 && played.odd == 0 &&
                    audience.failed_calls == 0 && audience.failed_streams == 0;
  return well ? 0 : 1;
}

}  // namespace
}  // namespace tarot::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return tarot::bench::Main();
}
