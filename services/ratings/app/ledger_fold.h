// Declares functions that rate matches one after another: one match, several matches of a batch, or
// the whole ledger.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "services/ratings/app/rating_store.h"
#include "services/ratings/app/season.h"

namespace tarot::ratings_service {

// Rates one match by `model`. `standings` has the standings of the match's players, in the same
// order. `season_changes` is the result of SeasonChanges() for the ladder. RateAll() and LedgerFold
// both call this function, so they give the same ratings.
RatedMatch RateMatch(const MatchResult& match, absl::Span<const Standing> standings,
                     const rating::Model& model, absl::Span<const absl::Time> season_changes);

// Does the work of RateBatch. If MatchResult::newest_season of a match is not the ladder's newest
// season, leaves out this match. The luck of this match must then be computed again for the newest
// season.
std::vector<std::optional<RatedMatch>> RateAll(const std::vector<MatchResult>& matches,
                                               BatchState state, const Seasons& seasons);

// Computes the standings of all ladders from the matches of the ledger. A void match changes only
// Standing::void_count.
class LedgerFold {
 public:
  // Rates a match with the model of its season. Appends to `different` the results that differ from
  // those in the ledger. For a void match, appends a result without skills for each player. If
  // `seasons` does not have the season of the match, returns INTERNAL BUG.
  absl::Status Apply(const LedgerMatch& match, const Seasons& seasons,
                     std::vector<RecomputedResult>& different);

  // Returns the standings that have changed since the last call, sorted by player and then by
  // ladder.
  std::vector<LadderStanding> TakeChanged();

 private:
  // The members of Standing that a match changes.
  struct Entry {
    rating::Skill skill;
    int match_count = 0;
    int void_count = 0;
    absl::Time update_time;
    bool changed = false;
  };
  using Ladder = absl::flat_hash_map<PlayerId, Entry>;

  absl::Status Rate(const LedgerMatch& match, const Seasons& seasons,
                    std::vector<RecomputedResult>& different);

  std::array<Ladder, rating::kPlayersMax + 1> ladders_;  // By number of players.
  // The player and the ladder of each entry whose member `changed` is true.
  std::vector<std::pair<PlayerId, int>> changed_;
};

}  // namespace tarot::ratings_service
