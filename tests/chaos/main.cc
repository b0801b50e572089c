// The program tarot-chaos makes random faults while a load plays. `tools/dev chaos` runs it.
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_split.h"
#include "tests/chaos/interrupt.h"
#include "tests/chaos/network.h"
#include "tests/chaos/run.h"

ABSL_FLAG(double, minutes, 1, "minutes of faults; play continues for 15 s after them");
ABSL_FLAG(std::uint64_t, seed, 1, "seed of the schedule and the players");
ABSL_FLAG(int, tables, 60, "number of tables in play at a time");
ABSL_FLAG(absl::Duration, think, absl::Milliseconds(300), "mean thinking time before each action");
ABSL_FLAG(std::string, queue, "", "queue of the players; empty: the run makes their tables");
ABSL_FLAG(int, rules, 3, "replicas of rules");
ABSL_FLAG(int, gateways, 2, "replicas of the gateway");
ABSL_FLAG(int, others, 2, "replicas of each of matchmaking, bot and ratings");
ABSL_FLAG(std::string, only, "", "kinds of faults, separated by commas; empty: all kinds");
ABSL_FLAG(std::string, out, "chaos", "PATH of the output: PATH.json, PATH.history.gz, PATH.logs/");

namespace {

using namespace tarot::chaos;

constexpr char kUsage[] = R"text(Plays on a cluster under faults, then checks the result.

  tools/dev chaos --minutes 5 --seed 7
  tools/dev chaos --seed 7 --only kill,pg-cut

Network faults need root: each process then has its own network namespace. After SIGINT or SIGTERM
the program cleans up before it ends. If a check fails, it keeps the logs of all processes.
Exit code 0: all checks passed; 1: a check failed; 2: the run was impossible or was stopped.)text";

bool IsNetworkFault(FaultKind kind) {
  return kind == FaultKind::kPartition || kind == FaultKind::kIsolate ||
         kind == FaultKind::kNoPostgres || kind == FaultKind::kPlayers ||
         kind == FaultKind::kLoss || kind == FaultKind::kDelay;
}

// Returns the kinds of faults that --only selects and this machine can make. Prints the kinds that
// this machine cannot make.
std::vector<FaultKind> Kinds(bool network) {
  const std::string only = absl::GetFlag(FLAGS_only);
  std::vector<FaultKind> kinds;
  for (int number = 0; number < kFaultKinds; ++number) {
    const auto kind = static_cast<FaultKind>(number);
    bool wanted = only.empty();
    for (const absl::string_view name : absl::StrSplit(only, ',')) {
      wanted = wanted || name == NameOf(kind);
    }
    if (!wanted) continue;
    if (network || !IsNetworkFault(kind)) {
      kinds.push_back(kind);
    } else {
      std::fprintf(stderr, "skipped, because it needs root and network namespaces: %s\n",
                   NameOf(kind));
    }
  }
  return kinds;
}

absl::StatusOr<RunOptions> OptionsFromFlags(bool network) {
  const int others = absl::GetFlag(FLAGS_others);
  // A run without play or without processes would find nothing.
  if (absl::GetFlag(FLAGS_minutes) <= 0 || absl::GetFlag(FLAGS_tables) < 1 ||
      std::min({absl::GetFlag(FLAGS_rules), absl::GetFlag(FLAGS_gateways), others}) < 1) {
    return absl::InvalidArgumentError(
        "--minutes must be above 0, --tables and replicas at least 1");
  }
  const std::string out = absl::GetFlag(FLAGS_out);
  RunOptions options{.seed = absl::GetFlag(FLAGS_seed),
                     .duration = absl::Minutes(absl::GetFlag(FLAGS_minutes)),
                     .replicas = {{"rules", absl::GetFlag(FLAGS_rules)},
                                  {"gateway", absl::GetFlag(FLAGS_gateways)},
                                  {"matchmaking", others},
                                  {"bot", others},
                                  {"ratings", others}},
                     .kinds = Kinds(network),
                     .network = network,
                     .history = out + ".history.gz",
                     .logs = out + ".logs",
                     .stop = StopAsked};
  options.load.tables = absl::GetFlag(FLAGS_tables);
  options.load.think = absl::GetFlag(FLAGS_think);
  options.load.queue = absl::GetFlag(FLAGS_queue);
  options.load.varied = true;
  options.load.bots = options.load.queue.empty() ? 1 : 0;
  if (options.kinds.empty()) {
    return absl::InvalidArgumentError("--only names no kind of fault that this machine can do");
  }
  return options;
}

int RunByFlags() {
  const absl::StatusOr<RunOptions> options = OptionsFromFlags(Network::Possible());
  const absl::StatusOr<RunResult> result = options.ok() ? Run(*options) : options.status();
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", std::string(result.status().message()).c_str());
    return 2;
  }
  const std::string json = absl::GetFlag(FLAGS_out) + ".json";
  std::ofstream(json) << Json(*options, *result);
  std::fprintf(stderr, "kept: %s %s\n", json.c_str(), options->history.c_str());
  std::fputs(Text(*result).c_str(), stdout);
  return result->ok() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(kUsage);
  const std::vector<char*> words = absl::ParseCommandLine(argc, argv);
  signal(SIGPIPE, SIG_IGN);
  if (words.size() > 1) {
    std::fprintf(stderr, "takes no arguments, only flags\n");
    return 2;
  }
  return RunInterruptibly(RunByFlags, Network::Sweep);
}
