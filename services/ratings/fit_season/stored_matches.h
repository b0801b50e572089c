// Declares functions that read the matches of a ladder with their deals, and fit the numbers of the
// next season to these matches (docs/luck.md).
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
  // The matches, in the order in which they were stored. Before FitSeason(), their deals have no
  // baselines.
  std::vector<rating::PlayedMatch> matches;
  std::vector<ai::LuckSample> deals;  // All deals of `matches`, in the same order.
  std::size_t players = 0;
  absl::Time first_time, last_time;  // The times of the earliest and of the latest match.
};

// Returns rated matches of a ladder. The matches must have deals and the rule set with the name
// `rule_set`, and must have ended at `since` or later. Leaves out void matches, matches that a
// player left, and deals that an operator cancelled. Throws the exceptions of pqxx.
StoredMatches ReadMatches(pqxx::transaction_base& transaction, int player_count,
                          const std::string& rule_set, absl::Time since);

// The default number of random deals that are used to compute the means of the places.
inline constexpr int kPlaceMeanDeals = 50'000;

// Fits a season to `stored`, and adds the baselines to its deals. If `luck_share` is unset, fits
// this number too. If `stored` has no deals, or if rating::FitLadder() refuses the fit, returns
// FAILED_PRECONDITION. Takes some tenths of a millisecond of CPU time for each deal of `stored` and
// for each of `place_mean_deals`.
absl::StatusOr<Season> FitSeason(StoredMatches& stored, std::optional<double> luck_share,
                                 int place_mean_deals = kPlaceMeanDeals);

}  // namespace tarot::ratings_service
