// Stores finished matches and rates them, many by one transaction.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "services/ratings/app/rating_store.h"
#include "services/ratings/app/season_cache.h"
#include "services/ratings/metrics.h"

namespace tarot::ratings_service {

// If no transaction runs, stores a new match at once. Matches that come while a transaction runs
// wait, and the next transaction stores them together. The thread that called Record() for the
// first of these matches runs all these transactions. Thread-safe.
class MatchRecorder {
 public:
  // Gets true if the match was stored before, false if it is stored now, or an error. Runs on a
  // thread that called Record().
  using Done = absl::AnyInvocable<void(absl::StatusOr<bool>)>;

  // All arguments must outlive this object. For each new rated match, the recorder first stores it,
  // then calls `on_rated`, and then calls `done` of the match.
  MatchRecorder(RatingStore& store, SeasonCache& seasons, Clock& clock, Metrics& metrics,
                std::function<void()> on_rated);

  // Stores a match, and rates it unless it is casual. First takes out the luck; this takes some
  // tenths of a millisecond of CPU per deal. Calls `done` once: with INVALID_ARGUMENT BAD_REQUEST
  // for an invalid match; with UNAVAILABLE OVERLOADED if kMatchesWaitingMax matches wait, or if
  // kRecordAttemptsMax attempts fail because of other matches or a new season; with UNAVAILABLE
  // STORAGE_AWAY or STORAGE_SLOW if it is unknown whether the match is stored.
  void Record(MatchResult match, Done done);

 private:
  struct Waiting {
    MatchResult match;
    Done done;
    Stopwatch stopwatch;
    int attempts = 0;
  };

  // Sorts the players by id. Sets MatchResult::seats and MatchPlayer::left. Cuts the time to whole
  // microseconds.
  void Prepare(MatchResult& match);
  void TakeLuck(MatchResult& match);
  // Stores matches until none waits. The caller has set `recording_`.
  void RecordWaiting();
  // Takes the oldest waiting matches: at most kMatchesPerBatch, and at most one match of each
  // table.
  std::vector<Waiting> TakeBatch();
  void RecordBatch(std::vector<Waiting> batch);
  // Stores the matches, and sets `rated`. After a conflict with another call, tries again, at most
  // kRecordAttemptsMax times in all.
  absl::StatusOr<std::vector<Recorded>> Attempt(const std::vector<MatchResult>& matches,
                                                std::vector<std::optional<RatedMatch>>& rated);
  void Finish(Waiting& waiting, Recorded recorded, const std::optional<RatedMatch>& rated);
  // Takes the luck out of the match again, because a season has begun, and puts the match back
  // among the waiting ones.
  void TryAgain(Waiting waiting);

  RatingStore& store_;
  SeasonCache& seasons_;
  Clock& clock_;
  Metrics& metrics_;
  const std::function<void()> on_rated_;

  std::mutex mutex_;
  std::vector<Waiting> waiting_;
  bool recording_ = false;  // True while a thread is in RecordWaiting().
};

}  // namespace tarot::ratings_service
