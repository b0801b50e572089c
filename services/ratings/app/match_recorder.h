// Declares the recorder, which stores finished matches and rates them. One transaction stores many
// matches.
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

// If no transaction runs, a new match is stored at once. While a transaction runs, new matches
// wait, and the next transaction stores all of them together. All these transactions run on the
// thread that called Record() for the first match. Thread-safe.
class MatchRecorder {
 public:
  // Gets true if the match was already stored before, false if it has been stored now, or an error.
  // Runs on a thread that called Record().
  using Done = absl::AnyInvocable<void(absl::StatusOr<bool>)>;

  // All arguments must outlive this object. When the recorder has stored a new rated match, it
  // calls `on_rated`, and then `done` of the match.
  MatchRecorder(RatingStore& store, SeasonCache& seasons, Clock& clock, Metrics& metrics,
                std::function<void()> on_rated);

  // Stores a match, and rates it if it is not casual. First computes the luck of its players, which
  // takes some tenths of a millisecond of CPU time per deal. Calls `done` once. The errors are:
  // - INVALID_ARGUMENT BAD_REQUEST: the match is invalid.
  // - UNAVAILABLE OVERLOADED: kMatchesWaitingMax matches wait already, or kRecordAttemptsMax
  //   attempts have failed because of other matches or a new season.
  // - UNAVAILABLE STORAGE_AWAY or STORAGE_SLOW: it is unknown whether the match is stored.
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
  // Stores matches until no match waits. The caller must have set `recording_`.
  void RecordWaiting();
  // Takes the oldest waiting matches out of the queue. Takes at most kMatchesPerBatch matches, and
  // at most one match of each table.
  std::vector<Waiting> TakeBatch();
  void RecordBatch(std::vector<Waiting> batch);
  // Stores the matches, and sets `rated`. After a conflict with another call, tries again. Makes at
  // most kRecordAttemptsMax attempts.
  absl::StatusOr<std::vector<Recorded>> Attempt(const std::vector<MatchResult>& matches,
                                                std::vector<std::optional<RatedMatch>>& rated);
  void Finish(Waiting& waiting, Recorded recorded, const std::optional<RatedMatch>& rated);
  // A season has begun, so computes the luck of the match again. Then puts the match back into the
  // queue.
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
