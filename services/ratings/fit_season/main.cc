// The program tarot-fit-season fits the numbers of the next season to the matches of a ratings
// service.
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "libs/base/real_clock.h"
#include "libs/rules/parameters/parameters.h"
#include "services/ratings/fit_season/stored_matches.h"
#include "services/ratings/transport/rating_service.h"

ABSL_FLAG(std::string, dsn, "", "Postgres of the ratings service, as libpq takes it.");
ABSL_FLAG(std::vector<std::string>, players, {"4"}, "The ladders: a comma list of 3, 4 and 5.");
ABSL_FLAG(std::string, rule_set, "fft", "Only matches with this rule set count.");
ABSL_FLAG(absl::Duration, age, absl::Hours(24 * 90), "Only matches that are younger count.");
ABSL_FLAG(double, luck_share, 0, "The part of the luck to take out, at most 2; 0 means fitted.");

namespace tarot::ratings_service {
namespace {

constexpr char kUsage[] =
    R"text(fits the numbers of the next season to the matches of a ratings service. Only reads.

  tarot-fit-season --dsn='host=/run/postgresql dbname=tarot user=tarot_ratings' \
    --players=3,4,5 >numbers.json
  tarot-start-season --file=numbers.json

Takes some milliseconds of CPU a deal. Refuses a fit that would add variance to the results. Exit
code 0: fitted, 1: refused, 2: wrong usage, 3: Postgres cannot be read.)text";

int Main() {
  const double share = absl::GetFlag(FLAGS_luck_share);
  const std::string rule_set = absl::GetFlag(FLAGS_rule_set);
  if (absl::GetFlag(FLAGS_dsn).empty() || rules::FindRuleSet(rule_set) == nullptr ||
      !(share >= 0 && share <= 2)) {
    std::cerr << "tarot-fit-season needs --dsn, a known --rule_set and a --luck_share of 0 to 2; "
                 "see --help\n";
    return 2;
  }
  pqxx::connection connection(absl::GetFlag(FLAGS_dsn));
  pqxx::transaction<pqxx::repeatable_read, pqxx::read_only> transaction(connection);
  const absl::Time since = RealClock().Now() - absl::GetFlag(FLAGS_age);
  std::vector<Season> seasons;
  for (const std::string& text : absl::GetFlag(FLAGS_players)) {
    int player_count = 0;
    if (!absl::SimpleAtoi(text, &player_count) || player_count < rating::kPlayersMin ||
        player_count > rating::kPlayersMax) {
      std::cerr << "tarot-fit-season: --players takes a comma list of 3, 4 and 5\n";
      return 2;
    }
    StoredMatches stored = ReadMatches(transaction, player_count, rule_set, since);
    std::cerr << player_count << " players: " << stored.matches.size() << " matches\n";
    const auto season = FitSeason(stored, share > 0 ? std::optional<double>(share) : std::nullopt);
    if (!season.ok()) {
      std::cerr << "tarot-fit-season: " << player_count << " players: " << season.status().message()
                << "\n";
      return 1;
    }
    seasons.push_back(*season);
  }
  const absl::StatusOr<std::string> file = SeasonFileText(seasons);
  if (!file.ok()) {
    std::cerr << "tarot-fit-season: " << file.status().message() << "\n";
    return 1;
  }
  std::cout << *file;
  return 0;
}

}  // namespace
}  // namespace tarot::ratings_service

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(tarot::ratings_service::kUsage);
  if (absl::ParseCommandLine(argc, argv).size() > 1) {
    std::cerr << "tarot-fit-season takes no words; see --help\n";
    return 2;
  }
  try {
    return tarot::ratings_service::Main();
  } catch (const std::exception& error) {
    std::cerr << "tarot-fit-season: " << error.what() << "\n";
    return 3;
  }
}
