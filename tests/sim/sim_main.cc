// Runs many seeds one after another, for example: tarot-sim --first 1 --seeds 1000 --minutes 10
#include <iostream>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/base/clock.h"
#include "tests/sim/simulation.h"

ABSL_FLAG(std::int64_t, first, 1, "The first seed.");
ABSL_FLAG(std::int64_t, seeds, 1000, "Number of seeds.");
ABSL_FLAG(double, minutes, 0, "Stops after this time; 0 means no limit.");
ABSL_FLAG(bool, verbose, false, "Prints a line for each seed.");

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const std::int64_t first = absl::GetFlag(FLAGS_first);
  const std::int64_t end = first + absl::GetFlag(FLAGS_seeds);
  const double minutes = absl::GetFlag(FLAGS_minutes);
  const tarot::Stopwatch stopwatch;
  std::int64_t entries = 0;
  std::int64_t done = 0;
  for (std::int64_t seed = first; seed < end; ++seed) {
    const absl::Duration elapsed = stopwatch.Elapsed();
    if (minutes > 0 && elapsed > minutes * absl::Minutes(1)) break;
    const auto report =
        tarot::sim::Simulate(tarot::sim::OptionsOf(static_cast<std::uint64_t>(seed)));
    if (!report.failure.empty()) {
      std::cout << report.notes << "\nseed " << seed << ": " << report.failure
                << "\nAgain with: tools/dev sim --first " << seed << " --seeds 1\n";
      return 1;
    }
    ++done;
    entries += report.entries;
    if (absl::GetFlag(FLAGS_verbose) || done % 100 == 0) {
      std::cout << absl::StrFormat(
                       "seed %d: hash %016x, %d matches, %d entries, %d acknowledged, %d views, "
                       "%d clock moves, %d claims, %d phrases and mutes, %d cancelled deals, "
                       "%d cards taken back, %d breaks in %s; %d seeds in %s",
                       seed, report.hash, report.matches, report.entries, report.acknowledged,
                       report.views, report.clock_moves, report.claims, report.talks, report.voids,
                       report.cards_back, report.breaks, absl::FormatDuration(report.span), done,
                       absl::FormatDuration(stopwatch.Elapsed()))
                << std::endl;
    }
  }
  std::cout << done << " seeds, " << entries << " log entries: every invariant held.\n";
  return 0;
}
