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
  // In the order in which the matches were stored. Their deals have no baselines before
  // FitSeason().
  std::vector<rating::PlayedMatch> matches;
  std::vector<ai::LuckSample> deals;  // All deals of `matches`, in the same order.
  std::size_t players = 0;
  absl::Time first_time, last_time;  // The earliest and the latest match time.
};

// Returns the rated matches of a ladder that have deals and the rule set with the name `rule_set`,
// and that ended at `since` or later. Leaves out void matches, matches that a player left, and
// deals that an operator cancelled. Throws the exceptions of pqxx.
StoredMatches ReadMatches(pqxx::transaction_base& transaction, int player_count,
                          const std::string& rule_set, absl::Time since);

// The default number of random deals for the means of the places.
inline constexpr int kPlaceMeanDeals = 50'000;

// Fits a season to `stored`, and adds the baselines to its deals. If `luck_share` is unset, it is
// fitted too. Returns FAILED_PRECONDITION if `stored` has no deals, or if rating::FitLadder()
// refuses the fit. Takes some tenths of a millisecond of CPU for each deal and each of
// `place_mean_deals`.
absl::StatusOr<Season> FitSeason(StoredMatches& stored, std::optional<double> luck_share,
                                 int place_mean_deals = kPlaceMeanDeals);

}  // namespace tarot::ratings_service
