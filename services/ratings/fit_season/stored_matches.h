// Reads the matches of a ladder with their deals, and fits the numbers of the next season to them
// (docs/luck.md).
#pragma once

#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/ai/luck/bid_shift.h"
#include "libs/rating/ladder_fit.h"
#include "services/ratings/app/season.h"

namespace tarot::ratings_service {

struct StoredMatches {
  int player_count = 0;
  std::string rule_set;
  // The matches, oldest first. Their deals have no baselines yet.
  std::vector<rating::PlayedMatch> matches;
  std::vector<ai::LuckSample> deals;  // All deals of `matches`, in the same order.
  std::size_t players = 0;
  absl::Time first_time, last_time;  // The times of the first and of the last match.
};

// Returns the rated matches of a ladder that have deals and this rule set, and that ended at
// `since` or later. Leaves out matches that a player left, and void matches. Deals that an operator
// cancelled do not count. `rule_set` is the name of a rule set. Throws the exceptions of pqxx.
StoredMatches ReadMatches(pqxx::transaction_base& transaction, int player_count,
                          const std::string& rule_set, absl::Time since);

// The number of random deals from which the means of the places are computed.
inline constexpr int kPlaceMeanDeals = 50'000;

// Fits a season to `stored`. Adds the baselines to the deals of `stored`. If `luck_share` is set,
// the season gets this share of luck; otherwise the share is fitted, too. Returns
// FAILED_PRECONDITION if the fit is refused (rating::FitLadder). Takes some tenths of a millisecond
// of CPU for each deal and each of `place_mean_deals`.
absl::StatusOr<Season> FitSeason(StoredMatches& stored, std::optional<double> luck_share,
                                 int place_mean_deals = kPlaceMeanDeals);

}  // namespace tarot::ratings_service
