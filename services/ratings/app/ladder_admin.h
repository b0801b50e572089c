// Declares LadderAdmin, which does the work of LadderAdminService. It begins seasons, voids
// results, and computes all ratings again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "services/ratings/app/ledger_fold.h"
#include "services/ratings/app/rating_store.h"
#include "services/ratings/app/season_cache.h"

namespace tarot::ratings_service {

struct RecomputeReport {
  std::int64_t match_count = 0;  // The number of all rated matches, including void matches.
  std::int64_t void_count = 0;
  // The number of results that differ from the ledger. Each player of each match has one result.
  std::int64_t different_count = 0;
  // The time for which new matches had to wait.
  absl::Duration blocked;
};

// Thread-safe. Every method may return INVALID_ARGUMENT BAD_REQUEST, and UNAVAILABLE STORAGE_AWAY
// or STORAGE_SLOW.
class LadderAdmin {
 public:
  // All arguments must outlive this object.
  LadderAdmin(RatingStore& store, SeasonCache& seasons, Clock& clock)
      : store_(store), seasons_(seasons), clock_(clock) {}

  // Begins a season on the ladder of each of `seasons`. Ignores Season::number and
  // Season::start_time. If a ladder's newest season has the same numbers, this ladder does not
  // change. Returns a line of text for each ladder that changed. If another call begins a season of
  // the same ladder at the same time, returns UNAVAILABLE OVERLOADED.
  absl::StatusOr<std::vector<std::string>> StartSeasons(std::vector<Season> seasons);

  // Voids one rated match, or all rated matches of a player that ended at ResultVoid::since or
  // later and are stored now. Ratings change with the next Recompute(). Returns the number of
  // matches that became void, or one of these errors:
  // - NOT_FOUND MATCH_NOT_FOUND: the match is unknown, or the player has no such match.
  // - NOT_FOUND PLAYER_NOT_FOUND: the player is unknown.
  // - FAILED_PRECONDITION MATCH_NOT_RATED: the match is casual.
  // - ALREADY_EXISTS ALREADY_VOIDED: all these matches are void already.
  absl::StatusOr<int> Void(const ResultVoid& added);

  // Computes all ratings again from the matches that are not void, and replaces all ratings at
  // once. During most of this time, new matches are recorded; only at the end they must wait for a
  // moment. Takes about a second for some ten thousand matches. If another recomputation runs, or
  // if the recording of matches cannot be stopped, returns UNAVAILABLE OVERLOADED.
  absl::StatusOr<RecomputeReport> Recompute();

 private:
  // Rates all matches that are stored now and that are not in `fold` yet.
  absl::Status CatchUp(Recomputation& recomputation, LedgerFold& fold, RecomputeReport& report);

  RatingStore& store_;
  SeasonCache& seasons_;
  Clock& clock_;
};

}  // namespace tarot::ratings_service
