// A season of a ladder: the numbers by which its matches are rated (docs/luck.md).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/ai/luck/bid_shift.h"
#include "libs/rating/luck.h"
#include "libs/rating/rating.h"
#include "services/ratings/app/dealt_deals.h"

namespace tarot::ratings_service {

struct MatchResult;

// The numbers of one ladder for some time. Each ladder (3, 4 or 5 players) has its own seasons.
struct Season {
  int number = 0;  // The seasons of a ladder are numbered from 1.
  // The name of a rule set. Luck is taken out only of matches with this rule set.
  std::string rule_set;
  int baseline_policy = 0;   // ai::kBaselinePolicy of the program that fitted the numbers.
  int baseline_replays = 0;  // ai::kBaselineReplays of that program.
  rating::LadderNumbers numbers;
  std::string provenance;  // A text for people: the matches that the numbers were fitted to.
  absl::Time start_time = absl::UnixEpoch();  // In whole microseconds.

  rating::Model model() const {
    return rating::Model(numbers.noise_variance, numbers.prior_variance);
  }
};

// All seasons of all ladders. The key is the ladder (its number of players) and the number of the
// season.
using Seasons = std::map<std::pair<int, int>, Season>;

// Returns the newest season of a ladder, or nullptr if it has none.
const Season* NewestSeason(const Seasons& seasons, int player_count);

// Returns the times at which new seasons make the ratings of a ladder less certain, in rising
// order. Each is kSeasonChangeDelay after the start of a season. The first season has none.
std::vector<absl::Time> SeasonChanges(const Seasons& seasons, int player_count);

// Returns the number of `changes` that are after `from` and not after `to`.
int CountChanges(absl::Span<const absl::Time> changes, absl::Time from, absl::Time to);

// Returns the cards and the scores of a deal that CheckDeals() has accepted.
ai::LuckSample SampleOf(const rules::RuleSet& rules, const DealtDeal& deal);

// Returns true if both seasons rate matches in the same way. Ignores `number`, `provenance` and
// `start_time`.
bool SameNumbers(const Season& a, const Season& b);

// Returns INVALID_ARGUMENT BAD_REQUEST unless this program can rate matches by the numbers of
// `season`. `path` is the path of the season in the request, for example "ladders[0].".
absl::Status CheckSeason(const Season& season, const std::string& path);

// Computes the baselines of all deals of `match` that count, and the luck and the result of each
// player. Sets MatchResult::season, DealtDeal::baseline and MatchPlayer::luck. Unsets all three if
// `match` has no deals or another rule set, or if the season needs baselines of another version.
// Takes some tenths of a millisecond of CPU per deal.
void TakeLuckOut(const Season& season, MatchResult& match);

}  // namespace tarot::ratings_service
