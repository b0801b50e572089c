#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/cli/text.h"
#include "tools/lab/commands/commands.h"
#include "tools/lab/season/evaluate.h"
#include "tools/lab/season/fit.h"

namespace tarot::lab {
namespace {

constexpr int kPlaceMeanDeals = 50'000;
constexpr int kSkillRounds = 200;  // Each player's true skill comes from this number of matches.

// Returns the fit as the ladder of a StartSeasonRequest (LadderAdminService of ratings), with its
// provenance.
std::string AsJson(const LadderFit& fit, const SeasonOptions& options, bool share_given) {
  const rating::LadderNumbers& n = fit.numbers;
  const absl::Span<const double> means(n.place_means.data(),
                                       static_cast<std::size_t>(n.player_count));
  return absl::StrFormat(
      "{\n"
      "  \"player_count\": %d,\n"
      "  \"rule_set\": \"fft\",\n"
      "  \"baseline_policy\": %d,\n"
      "  \"baseline_replays\": %d,\n"
      "  \"bid_shift\": %g,\n"
      "  \"place_means\": [%s],\n"
      "  \"luck_share\": %.6f,\n"
      "  \"weight_scale\": %.6f,\n"
      "  \"noise_variance\": %.3f,\n"
      "  \"prior_variance\": %.4f,\n"
      "  \"provenance\": \"tarot-lab season, %d deals, population %d, %d rounds, seed %d, place "
      "means"
      " of %d deals, %s; takes out %.1f%% of the variance\"\n"
      "}\n",
      n.player_count, ai::kBaselinePolicy, ai::kBaselineReplays, n.bid_shift,
      absl::StrJoin(
          means, ", ",
          [](std::string* out, double mean) { absl::StrAppendFormat(out, "%.4f", mean); }),
      n.luck_share, n.weight_scale, n.noise_variance, n.prior_variance, fit.deals,
      options.population, options.rounds, options.seed, kPlaceMeanDeals,
      share_given ? "luck share given" : "luck share fitted", 100 * fit.luck_removed);
}

std::string Row(const SeasonReport& report) {
  return absl::StrFormat("%s   z rms %.2f, of the posterior %.2f\n",
                         absl::StrJoin(report.rank_correlation, "  ",
                                       [](std::string* out, std::optional<double> r) {
                                         absl::StrAppend(out,
                                                         r ? absl::StrFormat("%.3f", *r) : "    -");
                                       }),
                         report.z_rms, report.posterior_rms);
}

// Plays the next season with another population, and compares ratings with true skills.
std::string Report(const LadderFit& fit, const LadderFit& plain, SeasonOptions options) {
  options.seed += 1;
  const std::vector<ai::ReplayBot> population = Population(options.population, options.seed);
  const std::vector<SeasonMatch> matches = PlaySeason(population, options);
  options.seed += 1;
  const std::vector<double> skills = TrueSkills(population, options, fit.numbers, kSkillRounds);
  return absl::StrCat(
      absl::StrFormat("luck removed in the next season: %.1f%% of the variance of a dealt deal\n",
                      100 * LuckRemoved(fit.numbers, matches)),
      absl::StrFormat("rank correlation with true skill after %s scored deals a player:\n",
                      absl::StrJoin(kCheckpoints, ", ")),
      "  luck taken out  ", Row(Evaluate(fit.numbers, matches, skills, false)),
      "  plain points    ", Row(Evaluate(plain.numbers, matches, skills, true)));
}

cli::ExitCode RunSeason(const cli::Invocation& run) {
  const cli::CommandLine& line = run.line();
  SeasonOptions options;
  double share = 1;
  if (!absl::SimpleAtoi(line.Get("players", "4"), &options.player_count) ||
      options.player_count < 3 || options.player_count > 5 ||
      !absl::SimpleAtoi(line.Get("population", "200"), &options.population) ||
      options.population < 2 * options.player_count || options.population > 100'000 ||
      !absl::SimpleAtoi(line.Get("rounds", "80"), &options.rounds) || options.rounds < 4 ||
      options.rounds > 10'000 || !absl::SimpleAtoi(line.Get("seed", "1"), &options.seed) ||
      !absl::SimpleAtod(line.Get("bid-shift", "0"), &options.bid_shift) ||
      !absl::SimpleAtod(line.Get("luck-share", "1"), &share) || !(share > 0 && share <= 1)) {
    return run.Fail(
        "--players takes 3 to 5, --population at least two tables, --rounds 4 to 10000, --seed and "
        "--bid-shift a number, --luck-share a number above 0, at most 1",
        cli::kUsage);
  }
  run.err() << "playing a season of " << options.rounds << " rounds\n";
  const std::vector<ai::ReplayBot> population = Population(options.population, options.seed);
  const std::vector<SeasonMatch> matches = PlaySeason(population, options);
  const auto means =
      PlaceMeans(options.player_count, options.bid_shift, kPlaceMeanDeals, options.seed);
  const bool share_given = line.Has("luck-share");
  const auto fit = FitLadder(matches, options.player_count, options.population, options.bid_shift,
                             means, share_given ? std::optional(share) : std::nullopt);
  if (!fit.ok()) return run.Fail(fit.status().message(), cli::kFailed);
  if (line.Has("report")) {
    run.err() << "playing the next season\n";
    const LadderFit plain = FitPlainPoints(matches, options.player_count, options.population);
    run.out() << Report(*fit, plain, options);
  } else {
    run.out() << AsJson(*fit, options, share_given);
  }
  return cli::kOk;
}

}  // namespace

cli::Command SeasonCommand() {
  return {.name = "season",
          .usage = "season",
          .summary = "simulate a season of the ladder and fit the next season's numbers",
          .help =
              "  tarot-lab season --players 4 >ladder4.json   the numbers of a fit\n"
              "  tarot-lab season --players 4 --report        how well the next season's\n"
              "                                               ratings find true skills\n\n"
              "A population of bots of different strength plays matches of six scored deals\n"
              "at random tables. The fit takes the luck of the cards out of their points\n"
              "(docs/luck.md). It is refused if it would add variance.\n\n"
              "  --players N       3 to 5 seats a table (4)\n"
              "  --population N    number of bots (200)\n"
              "  --rounds N        matches of each bot (80)\n"
              "  --bid-shift X     what the replaying bots add to a hand before they bid (0)\n"
              "  --luck-share B    the part of the luck to take out, above 0, at most 1 (fitted)\n"
              "  --seed S          the same seed gives the same numbers (1)\n",
          .options = {{"players"},
                      {"population"},
                      {"rounds"},
                      {"bid-shift"},
                      {"luck-share"},
                      {"seed"},
                      {"report", false}},
          .words_min = 0,
          .words_max = 0,
          .run = RunSeason};
}

}  // namespace tarot::lab
