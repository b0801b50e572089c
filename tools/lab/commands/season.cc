#include <optional>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/ai/luck/baseline.h"
#include "libs/base/error.h"
#include "libs/rating/ladder_fit.h"
#include "services/ratings/transport/rating_service.h"
#include "tools/lab/commands/commands.h"
#include "tools/lab/season/evaluate.h"
#include "tools/lab/season/simulation.h"

namespace tarot::lab {
namespace {

constexpr int kPlaceMeanDeals = 50'000;
constexpr std::size_t kShiftDeals = 3'000;  // The bid shift is fitted to this number of deals.
constexpr int kSkillRounds = 2'000;  // Each player's true skill comes from this number of matches.

struct Settings {
  std::vector<int> sizes;  // The numbers of players of the ladders.
  SeasonOptions season;
  int place_deals = kPlaceMeanDeals;
  std::optional<double> bid_shift;   // If not set, the command finds the bid shift that fits best.
  std::optional<double> luck_share;  // If not set, the command finds the luck share that fits best.
};

// A simulated season, and the parameters of the ratings that were fitted to this season.
struct Fitted {
  Season season;
  rating::LadderFit fit;
};

absl::StatusOr<Fitted> PlayAndFit(const Settings& settings, const SeasonOptions& options) {
  const std::vector<ai::ReplayBot> population = Population(options.population, options.seed);
  Fitted fitted{.season = PlaySeason(population, options)};
  const rules::RuleSet rules;
  const absl::Span<const ai::LuckSample> deals = fitted.season.deals;
  rating::LadderNumbers numbers{.player_count = options.player_count};
  numbers.bid_shift = settings.bid_shift ? *settings.bid_shift
                                         : ai::FitBidShift(rules, deals.subspan(0, kShiftDeals));
  numbers.place_means = ai::PlaceMeans(rules, options.player_count, numbers.bid_shift,
                                       settings.place_deals, options.seed);
  AddBaselines(numbers.bid_shift, fitted.season);
  TAROT_ASSIGN_OR_RETURN(fitted.fit,
                         rating::FitLadder(fitted.season.matches, numbers, settings.luck_share));
  return fitted;
}

// Returns the fit as a Season. Season::provenance says how the parameters of the ratings were made.
ratings_service::Season SeasonOf(const rating::LadderFit& fit, const Settings& settings) {
  const SeasonOptions& options = settings.season;
  return {.rule_set = "fft",
          .baseline_policy = ai::kBaselinePolicy,
          .baseline_replays = ai::kBaselineReplays,
          .numbers = fit.numbers,
          .provenance = absl::StrFormat(
              "tarot-lab season, %d deals, population %d, %d rounds, seed %d, place means of %d "
              "deals, bid shift %s, luck share %s; takes out %.1f%% of the variance of a dealt "
              "deal; results vary %.1f%% less than plain points",
              fit.deals, options.population, options.rounds, options.seed, settings.place_deals,
              settings.bid_shift ? "given" : "fitted", settings.luck_share ? "given" : "fitted",
              100 * fit.luck_removed, 100 * (1 - fit.variance_ratio))};
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

// Plays another season with other bots, and rates it with the parameters of `fitted`. Returns a
// text that compares these ratings with the true skills.
std::string Report(const Fitted& fitted, SeasonOptions options) {
  options.seed += 1;
  const std::vector<ai::ReplayBot> population = Population(options.population, options.seed);
  Season next = PlaySeason(population, options);
  const rating::LadderNumbers& numbers = fitted.fit.numbers;
  AddBaselines(numbers.bid_shift, next);
  options.seed += 1;
  const std::vector<double> skills = TrueSkills(population, options, kSkillRounds);
  const rating::LadderNumbers plain =
      rating::FitPlainPoints(fitted.season.matches, options.player_count);
  return absl::StrCat(
      absl::StrFormat("%d players: bid shift %g, luck share %.3f\n", options.player_count,
                      numbers.bid_shift, numbers.luck_share),
      absl::StrFormat("luck removed in the next season: %.1f%% of the variance of a dealt deal\n",
                      100 * rating::LuckRemoved(numbers, next.matches)),
      absl::StrFormat("noise variance %.0f (of plain points %.0f), prior variance %.1f (%.1f)\n",
                      numbers.noise_variance, plain.noise_variance, numbers.prior_variance,
                      plain.prior_variance),
      absl::StrFormat("rank correlation with true skill after %s scored deals a player:\n",
                      absl::StrJoin(kCheckpoints, ", ")),
      "  luck taken out  ", Row(Evaluate(numbers, next.matches, skills, false)),
      "  plain points    ", Row(Evaluate(plain, next.matches, skills, true)));
}

// Returns std::nullopt if an option is wrong.
std::optional<Settings> ReadSettings(const cli::CommandLine& line) {
  Settings settings;
  for (const absl::string_view word : absl::StrSplit(line.Get("players", "4"), ',')) {
    int size = 0;
    if (!absl::SimpleAtoi(word, &size) || size < 3 || size > 5) return std::nullopt;
    settings.sizes.push_back(size);
  }
  SeasonOptions& options = settings.season;
  const auto number = [&](const char* name, std::optional<double>& out) {
    double value = 0;
    if (!line.Has(name)) return true;
    if (!absl::SimpleAtod(line.Get(name, ""), &value)) return false;
    out = value;
    return true;
  };
  if (!absl::SimpleAtoi(line.Get("population", "200"), &options.population) ||
      options.population < 10 || options.population > 100'000 ||
      !absl::SimpleAtoi(line.Get("rounds", "80"), &options.rounds) || options.rounds < 4 ||
      options.rounds > 10'000 || !absl::SimpleAtoi(line.Get("seed", "1"), &options.seed) ||
      !absl::SimpleAtoi(line.Get("place-deals", absl::StrCat(kPlaceMeanDeals)),
                        &settings.place_deals) ||
      settings.place_deals < 100 || !number("bid-shift", settings.bid_shift) ||
      !number("luck-share", settings.luck_share) ||
      (settings.luck_share && !(*settings.luck_share > 0 && *settings.luck_share <= 2))) {
    return std::nullopt;
  }
  return settings;
}

cli::ExitCode RunSeason(const cli::Invocation& run) {
  const std::optional<Settings> settings = ReadSettings(run.line());
  if (!settings) {
    return run.Fail(
        "--players takes numbers from 3 to 5, --population 10 to 100000, --rounds 4 to 10000, "
        "--place-deals 100 or more, --seed and --bid-shift a number, --luck-share a number above "
        "0, at most 2",
        cli::kUsage);
  }
  std::vector<ratings_service::Season> seasons;
  for (const int size : settings->sizes) {
    SeasonOptions options = settings->season;
    options.player_count = size;
    run.err() << "playing a season of " << options.rounds << " rounds with " << size
              << " players at a table\n";
    const absl::StatusOr<Fitted> fitted = PlayAndFit(*settings, options);
    if (!fitted.ok()) {
      return run.Fail(absl::StrCat(size, " players: ", fitted.status().message()), cli::kFailed);
    }
    seasons.push_back(SeasonOf(fitted->fit, *settings));
    if (run.line().Has("report")) run.out() << Report(*fitted, options);
  }
  if (run.line().Has("report")) return cli::kOk;
  const absl::StatusOr<std::string> file = ratings_service::SeasonFileText(seasons);
  if (!file.ok()) return run.Fail(file.status().message(), cli::kFailed);
  run.out() << *file;
  return cli::kOk;
}

}  // namespace

cli::Command SeasonCommand() {
  return {.name = "season",
          .usage = "season",
          .summary = "simulate a season of the ladder and fit the next season's numbers",
          .help =
              "  tarot-lab season --players 3,4,5 >numbers.json   the numbers of the next season\n"
              "  tarot-lab season --players 4 --report            how well the next season's\n"
              "                                                   ratings find true skills\n\n"
              "A population of bots of different strength plays matches of six scored deals\n"
              "at random tables. The fit takes the luck of the cards out of their points\n"
              "(docs/luck.md). It is refused if it would add variance. The output is the file\n"
              "that tarot-start-season takes.\n\n"
              "  --players N,...   numbers of seats of a table, 3 to 5 (4)\n"
              "  --population N    number of bots (200)\n"
              "  --rounds N        matches of each bot (80)\n"
              "  --bid-shift X     points that replaying bots add to a hand (fitted)\n"
              "  --luck-share B    the part of the luck to take out, above 0, at most 2 (fitted)\n"
              "  --place-deals N   random deals that give the mean score of each place (50000)\n"
              "  --seed S          the same seed gives the same numbers (1)\n",
          .options = {{"players"},
                      {"population"},
                      {"rounds"},
                      {"bid-shift"},
                      {"luck-share"},
                      {"place-deals"},
                      {"seed"},
                      {"report", false}},
          .words_min = 0,
          .words_max = 0,
          .run = RunSeason};
}

}  // namespace tarot::lab
