// The program tarot-load plays many tables at once through the gateways and writes a history.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_split.h"
#include "libs/base/real_clock.h"
#include "tools/load/load.h"

const tarot::load::Options kDefaults;

ABSL_FLAG(std::string, gateways, "127.0.0.1:7100",
          "host:port of each gateway, separated by commas");
ABSL_FLAG(int, tables, kDefaults.tables, "number of tables in play at a time");
ABSL_FLAG(int, seconds, 30, "seconds of play");
ABSL_FLAG(std::string, queue, "",
          "the queue that players join, for example queues/ranked4; empty: the load makes tables");
ABSL_FLAG(std::string, rules, "127.0.0.1:7101", "host:port of each rules replica, to make tables");
ABSL_FLAG(std::string, internal_key_file, "", "key ring of the services, to make tables");
ABSL_FLAG(int, bots, kDefaults.bots, "number of bots at each table, 0 to 3");
ABSL_FLAG(int, deal_count, kDefaults.deal_count, "scored deals of a match");
ABSL_FLAG(bool, varied, false, "tables of three, four and five players, under several rule sets");
ABSL_FLAG(absl::Duration, think, kDefaults.think, "mean thinking time before each action");
ABSL_FLAG(double, drop_rate, kDefaults.drop_rate,
          "share of calls and views at which the connection is lost");
ABSL_FLAG(std::uint64_t, seed, kDefaults.seed, "seed of all random choices");
ABSL_FLAG(std::string, history, "history.gz", "file to write, for tarot-check");

namespace {

constexpr char kUsage[] =
    R"text(plays tables through the gateways and writes a history for tarot-check.

  tarot-load --queue=queues/casual4 --tables=50 --seconds=60
  tarot-load --gateways=127.0.0.1:7100 --tables=1000 --think=2s \
      --internal_key_file=var/keys/internal.key
  tarot-check --history=history.gz --dsn="$(tools/dev dsn)" --seed_key_file=var/keys/seed.keys

All players have one address: for thousands, start the gateways with a higher --sign_in_burst.
Exit code 0: played to the end; 1: cannot start; 2: bad arguments.)text";

volatile sig_atomic_t interrupted = 0;

tarot::load::Options FromFlags() {
  tarot::load::Options options;
  options.gateways = absl::StrSplit(absl::GetFlag(FLAGS_gateways), ',');
  options.tables = absl::GetFlag(FLAGS_tables);
  options.queue = absl::GetFlag(FLAGS_queue);
  options.rules = absl::StrSplit(absl::GetFlag(FLAGS_rules), ',');
  options.internal_key_file = absl::GetFlag(FLAGS_internal_key_file);
  options.bots = absl::GetFlag(FLAGS_bots);
  options.deal_count = absl::GetFlag(FLAGS_deal_count);
  options.varied = absl::GetFlag(FLAGS_varied);
  options.think = absl::GetFlag(FLAGS_think);
  options.drop_rate = absl::GetFlag(FLAGS_drop_rate);
  options.seed = absl::GetFlag(FLAGS_seed);
  return options;
}

bool Sound(const tarot::load::Options& options) {
  return options.tables > 0 && options.bots >= 0 && options.bots <= (options.varied ? 2 : 3) &&
         options.deal_count > 0 && options.think >= absl::ZeroDuration() &&
         options.drop_rate >= 0 && options.drop_rate <= 1;
}

void Play(tarot::load::Load& load, int seconds) {
  const tarot::load::Counters& now = load.counters();
  long before = now.moves;
  for (int second = 1; second <= seconds && interrupted == 0; ++second) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const long moves = now.moves;
    std::fprintf(
        stderr, "%4d s  %6ld moves/s  %8ld moves  %6ld refused  %6ld unknown  %5ld matches\n",
        second, moves - before, moves, now.refused.load(), now.unknown.load(), now.matches.load());
    before = moves;
  }
}

}  // namespace

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(kUsage);
  if (absl::ParseCommandLine(argc, argv).size() > 1) {
    std::fprintf(stderr, "tarot-load takes flags only; see tarot-load --help\n");
    return 2;
  }
  const tarot::load::Options options = FromFlags();
  if (!Sound(options) || absl::GetFlag(FLAGS_seconds) < 1) {
    std::fprintf(
        stderr, "--tables, --seconds, --bots, --deal_count, --think or --drop_rate out of range\n");
    return 2;
  }
  signal(SIGINT, [](int) { interrupted = 1; });
  signal(SIGPIPE, SIG_IGN);
  tarot::RealClock clock;
  tarot::RealScheduler scheduler;
  tarot::OsEntropy entropy;
  auto history = tarot::load::HistoryWriter::Create(absl::GetFlag(FLAGS_history));
  if (!history.ok()) {
    std::fprintf(stderr, "%s\n", history.status().ToString().c_str());
    return 1;
  }
  auto load = tarot::load::Load::Create(options, clock, scheduler, entropy, **history);
  if (!load.ok()) {
    std::fprintf(stderr, "%s\n", load.status().ToString().c_str());
    return 1;
  }
  if (const absl::Status started = (*load)->Start(); !started.ok()) {
    std::fprintf(stderr, "no player can start: %s\n", started.ToString().c_str());
    return 1;
  }
  Play(**load, absl::GetFlag(FLAGS_seconds));
  (*load)->Stop();
  return 0;
}
