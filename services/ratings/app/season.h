// A season of a ladder: the numbers by which its matches are rated (docs/luck.md).
#pragma once

#include <string>

#include "absl/status/status.h"
#include "libs/rating/luck.h"
#include "libs/rating/rating.h"

namespace tarot::ratings_service {

struct MatchResult;

// Each ladder, one for each number of players, has seasons of its own.
struct Season {
  int number = 0;            // The first season has number 1, and each further one the next number.
  std::string rule_set;      // The name of a rule set. Luck is taken out of its matches only.
  int baseline_policy = 0;   // ai::kBaselinePolicy of the program that fitted the numbers.
  int baseline_replays = 0;  // ai::kBaselineReplays of that program.
  rating::LadderNumbers numbers;
  std::string provenance;  // A text that says which matches the numbers were fitted to.

  rating::Model model() const {
    return rating::Model(numbers.noise_variance, numbers.prior_variance);
  }
};

// Returns true if both rate matches in the same way. Their numbers of season and their provenances
// may differ.
bool SameNumbers(const Season& a, const Season& b);

// Returns INVALID_ARGUMENT BAD_REQUEST unless this program can rate matches by the numbers of
// `season`. `path` is the path of the season in the request, for example "ladders[0].".
absl::Status CheckSeason(const Season& season, const std::string& path);

// Computes the baselines of all deals of `match` that count, and the luck and the result of each
// player. Sets MatchResult::season, DealtDeal::baseline and MatchPlayer::luck. Clears all three if
// `match` has no deals or another rule set, or if the season needs baselines of another version.
// Each deal takes some tenths of a millisecond of CPU.
void TakeLuckOut(const Season& season, MatchResult& match);

}  // namespace tarot::ratings_service
