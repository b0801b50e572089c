// Declares a season of a ladder: the numbers that are used to rate its matches (docs/luck.md).
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

// The numbers of one ladder for a period of time. Each ladder (3, 4 or 5 players) has its own
// seasons.
struct Season {
  int number = 0;  // The seasons of a ladder are numbered from 1.
  // The name of a rule set. The ladder corrects results for luck only in matches with this rule
  // set.
  std::string rule_set;
  // The value of ai::kBaselinePolicy in the program that fitted the numbers.
  int baseline_policy = 0;
  int baseline_replays = 0;  // The same for ai::kBaselineReplays.
  rating::LadderNumbers numbers;
  // A text for people, which describes the matches that the numbers were fitted to.
  std::string provenance;
  absl::Time start_time = absl::UnixEpoch();  // The start, in whole microseconds.

  rating::Model model() const {
    return rating::Model(numbers.noise_variance, numbers.prior_variance);
  }
};

// All seasons of all ladders. The key is the ladder (its number of players) and the number of the
// season.
using Seasons = std::map<std::pair<int, int>, Season>;

// Returns the newest season of a ladder. If the ladder has none, returns nullptr.
const Season* NewestSeason(const Seasons& seasons, int player_count);

// Returns the times at which new seasons make the ratings of a ladder less certain, in rising
// order. Each of these times is kSeasonChangeDelay after the start of a season. The first season of
// a ladder does not make ratings less certain.
std::vector<absl::Time> SeasonChanges(const Seasons& seasons, int player_count);

// Returns how many of `changes` are later than `from` and not later than `to`.
int CountChanges(absl::Span<const absl::Time> changes, absl::Time from, absl::Time to);

// Returns the cards and the scores of a deal. CheckDeals() must have accepted the deal before.
ai::LuckSample SampleOf(const rules::RuleSet& rules, const DealtDeal& deal);

// Returns true if both seasons rate matches in the same way. Ignores `number`, `provenance` and
// `start_time`.
bool SameNumbers(const Season& a, const Season& b);

// If this program cannot rate matches with the numbers of `season`, returns INVALID_ARGUMENT
// BAD_REQUEST. `path` is the path of the season in the request, for example "ladders[0].".
absl::Status CheckSeason(const Season& season, const std::string& path);

// Computes the baselines of all deals of `match` that count, and the luck and the result of each
// player. Sets MatchResult::season, DealtDeal::baseline and MatchPlayer::luck. Unsets all three in
// each of these cases: `match` has no deals, `match` has another rule set, or the season needs
// baselines of another version. Takes some tenths of a millisecond of CPU time per deal.
void TakeLuckOut(const Season& season, MatchResult& match);

}  // namespace tarot::ratings_service
