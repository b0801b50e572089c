// Declares a cache in memory of the seasons of all ladders.
#pragma once

#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "services/ratings/app/rating_store.h"
#include "services/ratings/app/season.h"

namespace tarot::ratings_service {

// Thread-safe.
class SeasonCache {
 public:
  // `store` and `clock` must outlive this object.
  SeasonCache(RatingStore& store, Clock& clock) : store_(store), clock_(clock) {}

  // Reads all seasons, and keeps them for Recent().
  absl::StatusOr<std::shared_ptr<const Seasons>> Read();
  // Returns the seasons of the last read. If that read is older than kSeasonsKept, reads the
  // seasons again. If this new read fails, returns the old list.
  std::shared_ptr<const Seasons> Recent();
  // Returns the model of the newest season of a ladder. Uses the seasons of Recent().
  rating::Model ModelNow(int player_count);

 private:
  RatingStore& store_;
  Clock& clock_;
  std::mutex mutex_;
  std::shared_ptr<const Seasons> seasons_ = std::make_shared<const Seasons>();
  absl::Time read_time_ = absl::InfinitePast();
};

}  // namespace tarot::ratings_service
