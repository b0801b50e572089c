// tarot-chaos: faults at random while a load plays; tools/dev chaos runs it.
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

ABSL_FLAG(double, minutes, 1, "of faults; play goes on for a quarter of a minute after them");
ABSL_FLAG(std::uint64_t, seed, 1, "of the schedule and the players");
ABSL_FLAG(int, tables, 60, "at once");
ABSL_FLAG(absl::Duration, think, absl::Milliseconds(300), "before each action, on average");
ABSL_FLAG(std::string, queue, "", "players queue here; else tables are made for them");
ABSL_FLAG(int, rules, 3, "replicas");
ABSL_FLAG(int, gateways, 2, "replicas");
ABSL_FLAG(int, others, 2, "replicas of matchmaking, bot and ratings");
ABSL_FLAG(std::string, only, "", "kinds of faults, with commas; all of them by default");
ABSL_FLAG(std::string, out, "chaos", "where PATH.json, PATH.history.gz and PATH.logs/ go");

namespace {

using namespace tarot::chaos;

constexpr char kUsage[] = R"text(plays a cluster under faults and checks what has become of it.

  tools/dev chaos --minutes 5 --seed 7
  tools/dev chaos --seed 7 --only kill,pg-cut

Faults of the network need root: every process then lives in a network namespace of its own.
SIGINT and SIGTERM take all of it down first. When something is wrong, the processes' logs are kept.
Exit code 0: all held; 1: something was lost, doubled, leaked or stuck; 2: it could not run, or was
stopped.)text";

bool OfNetwork(FaultKind kind) {
  return kind == FaultKind::kPartition || kind == FaultKind::kIsolate ||
         kind == FaultKind::kNoPostgres || kind == FaultKind::kPlayers ||
         kind == FaultKind::kLoss || kind == FaultKind::kDelay;
}

// Those of --only that this machine can do. Says which it cannot.
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
    if (network || !OfNetwork(kind)) {
      kinds.push_back(kind);
    } else {
      std::fprintf(stderr, "left out, for it needs root and network namespaces: %s\n",
                   NameOf(kind));
    }
  }
  return kinds;
}

absl::StatusOr<RunOptions> OptionsFromFlags(bool network) {
  const int others = absl::GetFlag(FLAGS_others);
  // A run of nothing would find no fault.
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
    return absl::InvalidArgumentError("--only names no kind of fault that can be done here");
  }
  return options;
}

// The exit code.
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
    std::fprintf(stderr, "takes no words, only flags\n");
    return 2;
  }
  return RunInterruptibly(RunByFlags, Network::Sweep);
}
