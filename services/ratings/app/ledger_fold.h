// Rates matches one after the other: one match, several matches of a batch, or the whole ledger.
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

// Rates one match by `model`. `standings` are in the order of the match's players, and
// `season_changes` is SeasonChanges() of the ladder. RateAll() and LedgerFold both call this
// function, so they give the same ratings.
RatedMatch RateMatch(const MatchResult& match, absl::Span<const Standing> standings,
                     const rating::Model& model, absl::Span<const absl::Time> season_changes);

// Does the work of RateBatch. Leaves out a match if MatchResult::newest_season is not the ladder's
// newest season. Then the luck of this match must be taken out again.
std::vector<std::optional<RatedMatch>> RateAll(const std::vector<MatchResult>& matches,
                                               BatchState state, const Seasons& seasons);

// Computes the standings of all ladders from the matches of the ledger. Void matches change only
// Standing::void_count.
class LedgerFold {
 public:
  // Rates a match by the model of its season. Appends to `different` the results that differ from
  // those in the ledger. For a void match, it appends a result without skills for each player.
  // Returns INTERNAL BUG if `seasons` does not have the season of the match.
  absl::Status Apply(const LedgerMatch& match, const Seasons& seasons,
                     std::vector<RecomputedResult>& different);

  // Returns the standings that have changed since the last call, in the order of player and ladder.
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
  // The player and the ladder of each entry with `changed`.
  std::vector<std::pair<PlayerId, int>> changed_;
};

}  // namespace tarot::ratings_service
