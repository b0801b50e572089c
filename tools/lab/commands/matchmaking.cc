#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/cli/text.h"
#include "tools/lab/commands/commands.h"
#include "tools/lab/matchmaking/replay.h"

namespace tarot::lab {
namespace {

double Quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size()));
  return values[std::min(at, values.size() - 1)];
}

std::string Row(absl::string_view name, const ReplayResult& result) {
  return absl::StrFormat("%-28s %7.1f %7.1f %7.1f %9.0f %7.0f %8d %9d\n", name,
                         Quantile(result.waits, .5), Quantile(result.waits, .95),
                         Quantile(result.waits, .99), Quantile(result.spreads, .5),
                         Quantile(result.spreads, .95), result.spreads.size(), result.unplaced);
}

absl::StatusOr<std::vector<Arrival>> Arrivals(const cli::CommandLine& line, double rate,
                                              int players, std::uint64_t seed) {
  if (!line.Has("arrivals")) return RandomArrivals(rate, players, seed);
  const std::string path = line.Get("arrivals", "");
  std::ifstream in(path);
  if (!in) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  return ReadArrivals(in);
}

cli::ExitCode RunMatchmaking(const cli::Invocation& run) {
  const cli::CommandLine& line = run.line();
  double rate = 1;
  int players = 20'000;
  int seats = 4;
  std::uint64_t seed = 1;
  if (!absl::SimpleAtod(line.Get("rate", "1"), &rate) || !(rate >= 0.001 && rate <= 50) ||
      !absl::SimpleAtoi(line.Get("players", "20000"), &players) || players < 1 ||
      players > 10'000'000 || !absl::SimpleAtoi(line.Get("seats", "4"), &seats) || seats < 3 ||
      seats > 5 || !absl::SimpleAtoi(line.Get("seed", "1"), &seed)) {
    return run.Fail(
        "--rate takes 0.001 to 50, --players 1 to 10000000, --seats 3 to 5, --seed a number",
        cli::kUsage);
  }
  const auto arrivals = Arrivals(line, rate, players, seed);
  if (!arrivals.ok()) {
    return run.Fail(cli::Safe(arrivals.status().message()), cli::ExitCodeFor(arrivals.status()));
  }
  run.out() << absl::StrCat(arrivals->size(), " arrivals. Waits in seconds, spreads in points.\n")
            << absl::StrFormat("%-28s %7s %7s %7s %9s %7s %8s %9s\n", "", "WAIT50", "95", "99",
                               "SPREAD50", "95", "TABLES", "UNPLACED");
  const ReplayResult recorded = RecordedResult(*arrivals);
  if (!recorded.spreads.empty()) run.out() << Row("as recorded", recorded);
  run.out() << Row("today's matcher", Replay(*arrivals, seats,
                                             [](auto tickets, int size, absl::Time now) {
                                               return matching::MakeTables(tickets, size, now);
                                             }))
            << Row("first come, first served", Replay(*arrivals, seats, FirstComeTables));
  return cli::kOk;
}

}  // namespace

cli::Command MatchmakingCommand() {
  return {.name = "matchmaking",
          .usage = "matchmaking",
          .summary = "replay arrivals of players, and show waits and spreads",
          .help =
              "  tarot-lab matchmaking --rate 1                   generated arrivals\n"
              "  tarot-lab matchmaking --arrivals evening.csv     recorded arrivals\n\n"
              "Replays the arrivals with the matcher of this version, and first come, first\n"
              "served. The percentiles of waits and spreads stand beside each other, and beside\n"
              "those that were recorded. tools/lab/README.md says how to record arrivals.\n\n"
              "  --arrivals FILE   lines of seconds,player,rating,wait,table\n"
              "  --rate R          generated arrivals a second (1)\n"
              "  --players N       number of generated arrivals; no player comes twice (20000)\n"
              "  --seats N         3 to 5 players a table (4)\n"
              "  --seed S          the same seed gives the same arrivals (1)\n",
          .options = {{"arrivals"}, {"rate"}, {"players"}, {"seats"}, {"seed"}},
          .words_min = 0,
          .words_max = 0,
          .run = RunMatchmaking};
}

}  // namespace tarot::lab
